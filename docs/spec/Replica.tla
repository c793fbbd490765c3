------------------------------ MODULE Replica ------------------------------
(***************************************************************************)
(* How one replica's file is swapped against appends, truncations,         *)
(* recoveries, deletions, moves, inflations and adopted frames, and power  *)
(* loss at any step.                                                       *)
(*                                                                         *)
(* Contents are versions, numbers that are never used twice.  A reader     *)
(* gets the version that lies in the file; it has to be the one that was   *)
(* acknowledged.  An action bears the name of the method that it stands    *)
(* for.  What is left out: the frames' encoding, damage, and whatever      *)
(* stock HDFS does to replicas that are not finalized.                     *)
(***************************************************************************)
EXTENDS Naturals

CONSTANTS
  MaxVersion,    \* contents that the block has one after the other
  MaxStamp,
  MaxMoves,
  MaxCrashes,
  \* The rules; each is taken away in a configuration of its own, which has to fail.
  ComparedAtSwap,   \* ReplicaSnapshot.isStill, under the dataset lock
  HeldPlain,        \* Replicas.hold: no swap while a stock operation needs the plain file
  VerifiedAside,    \* what is put in place was decoded and compared
  ForcedAside,      \* and forced
  MovesDecode       \* a move writes the decoded block; its frames belong to their volume

VARIABLES
  state,      \* of the replica in the map: finalized, rbw, rur or gone
  stamp,      \* its generation stamp
  volume,
  acked,      \* the version that was acknowledged
  form,       \* of its file: plain or reduced
  content,    \* the version in it
  tagged,     \* the volume whose key a reduced file bears
  durable,    \* whether the file's content survives
  \* The Reducer
  step,       \* idle, snapped, encoded, verified
  snapStamp, snapContent, snapVolume,
  aside,      \* the version in the temporary file
  asideDurable,
  frames,     \* the version of frames that came on a connection; 0: none
  \* A stock operation that needs the plain file
  held,       \* none, append or truncate
  \* A move
  moving, moved, movedTag,
  moves, crashes

vars == << state, stamp, volume, acked, form, content, tagged, durable, step, snapStamp, snapContent,
           snapVolume, aside, asideDurable, frames, held, moving, moved, movedTag, moves, crashes >>
replicaVars == << state, stamp, volume, acked >>
fileVars == << form, content, tagged, durable >>
reducerVars == << step, snapStamp, snapContent, snapVolume, aside, asideDurable >>
moveVars == << moving, moved, movedTag, moves >>

Init ==
  /\ state = "finalized" /\ stamp = 1 /\ volume = 0 /\ acked = 1
  /\ form = "plain" /\ content = 1 /\ tagged = 0 /\ durable = TRUE
  /\ step = "idle" /\ snapStamp = 0 /\ snapContent = 0 /\ snapVolume = 0
  /\ aside = 0 /\ asideDurable = FALSE
  /\ frames \in {0, 1, MaxVersion + 1}   \* none, the block's own, or somebody else's
  /\ held = "none"
  /\ moving = FALSE /\ moved = 0 /\ movedTag = 0 /\ moves = 0
  /\ crashes = 0

-----------------------------------------------------------------------------
(* The Reducer: nothing is locked until the swap *)

\* The temporary file and the snapshot are given up
Forget ==
  /\ step' = "idle" /\ snapStamp' = 0 /\ snapContent' = 0 /\ snapVolume' = 0
  /\ aside' = 0 /\ asideDurable' = FALSE

\* ReplicaSnapshot.take
Snapshot ==
  /\ step = "idle" /\ state = "finalized" /\ form = "plain"
  /\ step' = "snapped"
  /\ snapStamp' = stamp /\ snapContent' = content /\ snapVolume' = volume
  /\ UNCHANGED << replicaVars, fileVars, aside, asideDurable, frames, held, moveVars, crashes >>

\* BlockReduction.encode: the open file is read, whatever is written to it meanwhile
Encode ==
  /\ step = "snapped"
  /\ \/ aside' = IF snapVolume = volume /\ form = "plain" THEN content ELSE snapContent
     \/ aside' = MaxVersion + 2       \* a scheme that fails, memory that flips
  /\ asideDurable' = FALSE
  /\ step' = "encoded"
  /\ UNCHANGED << replicaVars, fileVars, snapStamp, snapContent, snapVolume, frames, held, moveVars,
                  crashes >>

\* BlockReduction.adopt
Adopt ==
  /\ step = "snapped" /\ frames # 0
  /\ aside' = frames /\ frames' = 0
  /\ asideDurable' = FALSE
  /\ step' = "encoded"
  /\ UNCHANGED << replicaVars, fileVars, snapStamp, snapContent, snapVolume, held, moveVars, crashes >>

\* BlockReduction.verify: compared with the plain file that is still open
Verify ==
  /\ step = "encoded"
  /\ IF VerifiedAside
        /\ aside # (IF snapVolume = volume /\ form = "plain" THEN content ELSE snapContent)
     THEN Forget
     ELSE step' = "verified" /\ UNCHANGED << snapStamp, snapContent, snapVolume, aside, asideDurable >>
  /\ UNCHANGED << replicaVars, fileVars, frames, held, moveVars, crashes >>

\* ReducedBlockWriter.force
ForceAside ==
  /\ step = "verified" /\ ~asideDurable
  /\ asideDurable' = TRUE
  /\ UNCHANGED << replicaVars, fileVars, step, snapStamp, snapContent, snapVolume, aside, frames, held,
                  moveVars, crashes >>

IsStill == state = "finalized" /\ stamp = snapStamp /\ volume = snapVolume /\ form = "plain"

\* FinalizedPlainBlock.swap: block lock, holds, dataset lock, comparison, rename
Swap ==
  /\ step = "verified" /\ ~moving
  /\ ForcedAside => asideDurable
  /\ Forget
  /\ IF (HeldPlain => held = "none") /\ (ComparedAtSwap => IsStill) /\ state # "gone"
     THEN /\ form' = "reduced" /\ content' = aside /\ tagged' = snapVolume /\ durable' = asideDurable
     ELSE UNCHANGED fileVars
  /\ UNCHANGED << replicaVars, frames, held, moveVars, crashes >>

-----------------------------------------------------------------------------
(* Stock operations on the plain file *)

\* HdrfService.holdPlain, and Inflater.inflate under the block lock
HoldPlain ==
  /\ state = "finalized" /\ held = "none" /\ ~moving /\ acked < MaxVersion /\ stamp < MaxStamp
  /\ held' \in {"append", "truncate"}
  /\ IF form = "reduced"
     THEN form' = "plain" /\ durable' = TRUE /\ UNCHANGED << content, tagged >>
     ELSE UNCHANGED fileVars
  /\ UNCHANGED << replicaVars, reducerVars, frames, moveVars, crashes >>

\* FsDatasetImpl.append: the replica is written to, in the file that lies there
Append ==
  /\ held = "append" /\ state = "finalized"
  /\ state' = "rbw" /\ stamp' = stamp + 1 /\ held' = "none"
  /\ UNCHANGED << volume, acked, fileVars, reducerVars, frames, moveVars, crashes >>

\* BlockReceiver.receivePacket: what the file holds, and something behind it
ReceivePacket ==
  /\ state = "rbw" /\ acked < MaxVersion
  /\ content' = IF form = "plain" /\ content = acked THEN acked + 1 ELSE MaxVersion + 3
  /\ acked' = acked + 1
  /\ durable' = TRUE \* hsync; what is not synced is stock HDFS's to lose
  /\ UNCHANGED << state, stamp, volume, form, tagged, reducerVars, frames, held, moveVars, crashes >>

\* FsDatasetImpl.finalizeBlock
FinalizeBlock ==
  /\ state = "rbw"
  /\ state' = "finalized"
  /\ UNCHANGED << stamp, volume, acked, fileVars, reducerVars, frames, held, moveVars, crashes >>

\* FsDatasetImpl.initReplicaRecovery and updateReplicaUnderRecovery with an equal length
Recover ==
  /\ state = "finalized" /\ stamp < MaxStamp /\ ~moving
  /\ state' = "rur"
  /\ UNCHANGED << stamp, volume, acked, fileVars, reducerVars, frames, held, moveVars, crashes >>

Recovered ==
  /\ state = "rur"
  /\ state' = "finalized" /\ stamp' = stamp + 1
  /\ UNCHANGED << volume, acked, fileVars, reducerVars, frames, held, moveVars, crashes >>

\* LocalReplica.truncateBlock: stock code cuts the raw file and writes fresh checksums
Truncate ==
  /\ held = "truncate" /\ state = "finalized"
  /\ content' = IF form = "plain" /\ content = acked THEN acked + 1 ELSE MaxVersion + 3
  /\ acked' = acked + 1 /\ stamp' = stamp + 1 /\ held' = "none" /\ durable' = TRUE
  /\ UNCHANGED << state, volume, form, tagged, reducerVars, frames, moveVars, crashes >>

\* FsDatasetImpl.invalidate
Invalidate ==
  /\ state = "finalized" /\ held = "none"
  /\ state' = "gone"
  /\ UNCHANGED << stamp, volume, acked, fileVars, reducerVars, frames, held, moveVars, crashes >>

-----------------------------------------------------------------------------
(* A move to another volume, under the block lock *)

\* HdrfDataset.copyReplicaToVolume, DecodedMove.copy
CopyReplicaToVolume ==
  /\ state = "finalized" /\ ~moving /\ held = "none" /\ moves < MaxMoves
  /\ moving' = TRUE /\ moves' = moves + 1 /\ moved' = content
  /\ movedTag' = IF MovesDecode \/ form = "plain" THEN 2 ELSE tagged   \* 2: it is plain
  /\ UNCHANGED << replicaVars, fileVars, reducerVars, frames, held, crashes >>

\* HdrfDataset.finalizeNewReplica: not if the source was changed or deleted meanwhile
FinalizeNewReplica ==
  /\ moving
  /\ moving' = FALSE /\ moved' = 0 /\ movedTag' = 0
  /\ IF state = "finalized"
     THEN /\ volume' = 1 - volume /\ content' = moved /\ durable' = TRUE
          /\ form' = IF movedTag = 2 THEN "plain" ELSE "reduced"
          /\ tagged' = IF movedTag = 2 THEN tagged ELSE movedTag
     ELSE UNCHANGED << volume, fileVars >>
  /\ UNCHANGED << state, stamp, acked, reducerVars, frames, held, moves, crashes >>

-----------------------------------------------------------------------------

PowerFails ==
  /\ crashes < MaxCrashes /\ crashes' = crashes + 1
  /\ content' = IF durable \/ form = "plain" THEN content ELSE 0
  /\ durable' = TRUE
  /\ state' = IF state = "gone" THEN "gone" ELSE "finalized"
  /\ Forget /\ held' = "none" /\ frames' = 0 /\ moving' = FALSE /\ moved' = 0 /\ movedTag' = 0
  /\ UNCHANGED << stamp, volume, acked, form, tagged, moves >>

\* What happens to a replica that is gone is nobody's loss.
Next == state # "gone" /\ (
  \/ Snapshot \/ Encode \/ Adopt \/ Verify \/ ForceAside \/ Swap
  \/ HoldPlain \/ Append \/ ReceivePacket \/ FinalizeBlock \/ Recover \/ Recovered \/ Truncate \/ Invalidate
  \/ CopyReplicaToVolume \/ FinalizeNewReplica
  \/ PowerFails)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------

(* What was acknowledged is what a reader gets, from a file that this volume's key proves. *)
Readable ==
  state # "gone" => content = acked /\ (form = "reduced" => tagged = volume)

(* What is being written to lies plain. *)
WrittenPlain == state = "rbw" => form = "plain"
=============================================================================
