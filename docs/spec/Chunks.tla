------------------------------- MODULE Chunks -------------------------------
(***************************************************************************)
(* How chunks become durable, are found, referred to, pinned, condemned    *)
(* and dropped on one volume, with several blocks in work, a collector,    *)
(* and power loss at any step.                                             *)
(*                                                                         *)
(* An action bears the name of the method that it stands for.  What the    *)
(* model leaves out: groups, directories and the index (a find is any      *)
(* container that shows the chunk), the time that must lie between two     *)
(* collections, and damage.                                                *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Blocks,       \* blocks of similar data: each needs all chunks
  Chunks,
  MaxAttempts,  \* how often a block is begun
  MaxCycles,    \* how many collections begin
  MaxCrashes,
  \* The rules; each is taken away in a configuration of its own, which has to fail.
  OnlyForcedIsFound,  \* others find in an open container only what was forced
  PinnedUntilPlaced,  \* a pin is held until the block's file is in place
  DeadTwice,          \* dropped is only what two collections in a row found dead
  CondemnedFirst,     \* condemned chunks can't be acquired, and are dropped after that
  ForcedBeforeSwap    \* a block forces what it wrote before it is put in place

VARIABLES
  stage,     \* of a block: plain, encoding, encoded, placed, gone
  disk,      \* its file: plain, reduced, either (renamed, not forced) or gone
  attempt,   \* which container it writes to, if any
  recipe,    \* chunk -> the container that it is to be read from, or NoContainer
  looking,   \* what it has acquired and not yet confirmed
  pin,       \* the age of its pin; 0: none
  written,   \* container -> the chunks that can be read from it
  forced,    \* container -> the chunks that survive
  sealed,    \* containers that are not written to any more
  age,
  phase,     \* of the collector: none, waiting, listing, reading, dropping
  listed,    \* containers that this collection looks at
  unread,    \* blocks whose files it has still to read
  live,      \* references that it knows to be needed
  dead,      \* what it found dead
  deadBefore,
  condemned,
  crashes

vars == << stage, disk, attempt, recipe, looking, pin, written, forced, sealed, age, phase,
           listed, unread, live, dead, deadBefore, condemned, crashes >>
blockVars == << stage, disk, attempt, recipe, looking, pin >>
gcVars == << age, phase, listed, unread, live, dead, deadBefore, condemned >>

Containers == Blocks \X (1 .. MaxAttempts)
NoContainer == << >>
Nothing == << >>
Refs == Containers \X Chunks
NoRecipe == [c \in Chunks |-> NoContainer]
Own(b) == << b, attempt[b] >>
Found(k) == IF OnlyForcedIsFound THEN forced[k] ELSE written[k]
IsReduced(b) == disk[b] \in {"reduced", "either"}
RefsOf(b) == {<< recipe[b][c], c >> : c \in {d \in Chunks : recipe[b][d] # NoContainer}}

Init ==
  /\ stage = [b \in Blocks |-> "plain"]
  /\ disk = [b \in Blocks |-> "plain"]
  /\ attempt = [b \in Blocks |-> 0]
  /\ recipe = [b \in Blocks |-> NoRecipe]
  /\ looking = [b \in Blocks |-> Nothing]
  /\ pin = [b \in Blocks |-> 0]
  /\ written = [k \in Containers |-> {}]
  /\ forced = [k \in Containers |-> {}]
  /\ sealed = {}
  /\ age = 1
  /\ phase = "none"
  /\ listed = {}
  /\ unread = {}
  /\ live = {}
  /\ dead = {}
  /\ deadBefore = {}
  /\ condemned = {}
  /\ crashes = 0

-----------------------------------------------------------------------------
(* A block in work *)

\* ChunkPins.pin, at the beginning of BlockReduction.encodeAndSwap
Pin(b) ==
  /\ stage[b] = "plain" /\ attempt[b] < MaxAttempts
  /\ stage' = [stage EXCEPT ![b] = "encoding"]
  /\ attempt' = [attempt EXCEPT ![b] = @ + 1]
  /\ recipe' = [recipe EXCEPT ![b] = NoRecipe]
  /\ pin' = [pin EXCEPT ![b] = age]
  /\ UNCHANGED << disk, looking, written, forced, sealed, gcVars, crashes >>

\* ChunkPins.acquire, of a chunk that the index or a directory seems to have
Acquire(b) ==
  /\ stage[b] = "encoding" /\ looking[b] = Nothing
  /\ \E c \in Chunks, k \in Containers :
       /\ recipe[b][c] = NoContainer
       /\ c \in Found(k)
       /\ ~(CondemnedFirst /\ phase # "none" /\ << k, c >> \in condemned)
       /\ looking' = [looking EXCEPT ![b] = << k, c >>]
       /\ live' = IF phase = "none" THEN live ELSE live \cup {<< k, c >>}
  /\ UNCHANGED << stage, disk, attempt, recipe, pin, written, forced, sealed, age, phase, listed,
                  unread, dead, deadBefore, condemned, crashes >>

\* ContainerStore.holds, after the chunk was acquired
Confirm(b) ==
  /\ looking[b] # Nothing
  /\ LET k == looking[b][1] c == looking[b][2] IN
       recipe' = IF c \in Found(k) THEN [recipe EXCEPT ![b][c] = k] ELSE recipe
  /\ looking' = [looking EXCEPT ![b] = Nothing]
  /\ UNCHANGED << stage, disk, attempt, pin, written, forced, sealed, gcVars, crashes >>

\* ChunkAppender.append
Append(b) ==
  /\ stage[b] = "encoding" /\ looking[b] = Nothing /\ Own(b) \notin sealed
  /\ \E c \in Chunks :
       /\ recipe[b][c] = NoContainer
       /\ recipe' = [recipe EXCEPT ![b][c] = Own(b)]
       /\ written' = [written EXCEPT ![Own(b)] = @ \cup {c}]
  /\ UNCHANGED << stage, disk, attempt, looking, pin, forced, sealed, gcVars, crashes >>

\* OpenContainer.seal, when it is full, or ContainerStore.sealIdle
Seal(b) ==
  /\ attempt[b] > 0 /\ Own(b) \notin sealed /\ looking[b] = Nothing
  /\ forced' = [forced EXCEPT ![Own(b)] = written[Own(b)]]
  /\ sealed' = sealed \cup {Own(b)}
  /\ UNCHANGED << blockVars, written, gcVars, crashes >>

\* ChunkAppender.force, at the end of BlockDeduplicator.encode
Force(b) ==
  /\ stage[b] = "encoding" /\ \A c \in Chunks : recipe[b][c] # NoContainer
  /\ forced' = IF ForcedBeforeSwap THEN [forced EXCEPT ![Own(b)] = written[Own(b)]] ELSE forced
  /\ stage' = [stage EXCEPT ![b] = "encoded"]
  /\ pin' = IF PinnedUntilPlaced THEN pin ELSE [pin EXCEPT ![b] = 0]
  /\ UNCHANGED << disk, attempt, recipe, looking, written, sealed, gcVars, crashes >>

\* BlockReduction.verify, then PlainBlock.swap: what can't be decoded is not put in place
Swap(b) ==
  /\ stage[b] = "encoded"
  /\ \A c \in Chunks : c \in written[recipe[b][c]]
  /\ stage' = [stage EXCEPT ![b] = "placed"]
  /\ disk' = [disk EXCEPT ![b] = "either"]
  /\ UNCHANGED << attempt, recipe, looking, pin, written, forced, sealed, gcVars, crashes >>

\* DurableFiles.forceDirectory, or the kernel of itself
ForceDirectory(b) ==
  /\ disk[b] = "either"
  /\ disk' = [disk EXCEPT ![b] = "reduced"]
  /\ UNCHANGED << stage, attempt, recipe, looking, pin, written, forced, sealed, gcVars, crashes >>

\* Pin.close
Unpin(b) ==
  /\ stage[b] = "placed" /\ pin[b] # 0
  /\ pin' = [pin EXCEPT ![b] = 0]
  /\ UNCHANGED << stage, disk, attempt, recipe, looking, written, forced, sealed, gcVars, crashes >>

\* A reduction that fails or is not wanted any more
GiveUp(b) ==
  /\ stage[b] \in {"encoding", "encoded"}
  /\ stage' = [stage EXCEPT ![b] = "plain"]
  /\ recipe' = [recipe EXCEPT ![b] = NoRecipe]
  /\ looking' = [looking EXCEPT ![b] = Nothing]
  /\ pin' = [pin EXCEPT ![b] = 0]
  /\ UNCHANGED << disk, attempt, written, forced, sealed, gcVars, crashes >>

\* FsDatasetImpl.invalidate
Delete(b) ==
  /\ stage[b] = "placed" /\ pin[b] = 0
  /\ stage' = [stage EXCEPT ![b] = "gone"]
  /\ disk' = [disk EXCEPT ![b] = "gone"]
  /\ UNCHANGED << attempt, recipe, looking, pin, written, forced, sealed, gcVars, crashes >>

-----------------------------------------------------------------------------
(* The collector *)

\* ChunkPins.begin
Begin ==
  /\ phase = "none" /\ age <= MaxCycles
  /\ phase' = "waiting" /\ age' = age + 1
  /\ live' = {} /\ dead' = {} /\ condemned' = {}
  /\ UNCHANGED << blockVars, written, forced, sealed, listed, unread, deadBefore, crashes >>

\* ChunkPins.awaitOlderPins
AwaitOlderPins ==
  /\ phase = "waiting"
  /\ \A b \in Blocks : pin[b] = 0 \/ pin[b] >= age
  /\ phase' = "listing"
  /\ UNCHANGED << blockVars, written, forced, sealed, age, listed, unread, live, dead, deadBefore,
                  condemned, crashes >>

\* GarbageCollector.readableContainers
ReadableContainers ==
  /\ phase = "listing"
  /\ listed' = sealed /\ unread' = Blocks /\ phase' = "reading"
  /\ UNCHANGED << blockVars, written, forced, sealed, age, live, dead, deadBefore, condemned, crashes >>

\* GarbageCollector.readReferences
ReadReferences(b) ==
  /\ phase = "reading" /\ b \in unread
  /\ live' = IF IsReduced(b) THEN live \cup RefsOf(b) ELSE live
  /\ unread' = unread \ {b}
  /\ UNCHANGED << blockVars, written, forced, sealed, age, phase, listed, dead, deadBefore, condemned,
                  crashes >>

\* GarbageCollector.examine
Examine ==
  /\ phase = "reading" /\ unread = {}
  /\ dead' = {r \in Refs : r[1] \in listed /\ r[2] \in forced[r[1]]} \ live
  /\ phase' = "dropping"
  /\ UNCHANGED << blockVars, written, forced, sealed, age, listed, unread, live, deadBefore, condemned,
                  crashes >>

Droppable(k) == {r \in (IF DeadTwice THEN dead \cap deadBefore ELSE dead) : r[1] = k}

\* Cycle.condemn
Condemn ==
  /\ phase = "dropping"
  /\ \E k \in listed :
       /\ Droppable(k) \ (live \cup condemned) # {}
       /\ condemned' = condemned \cup (Droppable(k) \ live)
  /\ UNCHANGED << blockVars, written, forced, sealed, age, phase, listed, unread, live, dead, deadBefore,
                  crashes >>

\* ContainerStore.compact: written aside, forced, renamed
Compact ==
  /\ phase = "dropping"
  /\ \E k \in listed :
       LET gone == {c \in Chunks : << k, c >> \in condemned} IN
       /\ gone \cap written[k] # {}
       /\ written' = [written EXCEPT ![k] = @ \ gone]
       /\ forced' = [forced EXCEPT ![k] = @ \ gone]
  /\ UNCHANGED << blockVars, sealed, gcVars, crashes >>

\* ChunkPins.end: what is condemned is gone, or spared
End ==
  /\ phase = "dropping"
  /\ \A r \in condemned : r[2] \notin written[r[1]]
  /\ phase' = "none" /\ deadBefore' = dead \ condemned
  /\ condemned' = {} /\ listed' = {} /\ dead' = {} /\ live' = {}
  /\ UNCHANGED << blockVars, written, forced, sealed, age, unread, crashes >>

-----------------------------------------------------------------------------
(* Power fails: of what was not forced any part survives.  ContainerRecovery seals what is found. *)

PowerFails ==
  /\ crashes < MaxCrashes
  /\ \E kept \in [Containers -> SUBSET Chunks],
        back \in SUBSET {b \in Blocks : disk[b] = "either"} :
       /\ \A k \in Containers : kept[k] \subseteq written[k] \ forced[k]
       /\ written' = [k \in Containers |-> forced[k] \cup kept[k]]
       /\ forced' = written'
       /\ disk' = [b \in Blocks |-> IF b \in back THEN "plain"
                                    ELSE IF disk[b] = "either" THEN "reduced" ELSE disk[b]]
       /\ stage' = [b \in Blocks |-> CASE disk'[b] = "plain" -> "plain"
                                       [] disk'[b] = "reduced" -> "placed"
                                       [] OTHER -> "gone"]
       /\ recipe' = [b \in Blocks |-> IF disk'[b] = "plain" THEN NoRecipe ELSE recipe[b]]
  /\ sealed' = {k \in Containers : k[2] <= attempt[k[1]]}
  /\ looking' = [b \in Blocks |-> Nothing]
  /\ pin' = [b \in Blocks |-> 0]
  /\ phase' = "none" /\ live' = {} /\ dead' = {} /\ deadBefore' = {} /\ condemned' = {}
  /\ listed' = {} /\ unread' = {}
  /\ crashes' = crashes + 1
  /\ UNCHANGED << attempt, age >>

-----------------------------------------------------------------------------

Next ==
  \/ \E b \in Blocks :
       \/ Pin(b) \/ Acquire(b) \/ Confirm(b) \/ Append(b) \/ Seal(b) \/ Force(b) \/ Swap(b)
       \/ ForceDirectory(b) \/ Unpin(b) \/ GiveUp(b) \/ Delete(b) \/ ReadReferences(b)
  \/ Begin \/ AwaitOlderPins \/ ReadableContainers \/ Examine \/ Condemn \/ Compact \/ End
  \/ PowerFails

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------

(* What was acknowledged can be read: a block lies plain, or all of its chunks can be read.  A block  *)
(* whose rename was not forced has its plain copy on disk, but readers see the reduced one.           *)
Readable == \A b \in Blocks : IsReduced(b) => \A c \in Chunks : c \in written[recipe[b][c]]

(* Nothing is in place that is not durable. *)
Durable == \A b \in Blocks : IsReduced(b) => \A c \in Chunks : c \in forced[recipe[b][c]]

Forced == \A k \in Containers : forced[k] \subseteq written[k]
=============================================================================
