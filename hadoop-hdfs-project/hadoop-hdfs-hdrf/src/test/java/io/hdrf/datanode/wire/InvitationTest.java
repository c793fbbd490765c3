/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.wire.AskStream;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class InvitationTest {

  private static final int LONG = 3_600_000;

  private final AskStream stream =
      new AskStream(new ByteArrayInputStream(new byte[0]), OutputStream.nullOutputStream());
  private final AtomicBoolean socketClosed = new AtomicBoolean();
  private final Closeable socket = () -> socketClosed.set(true);

  @AfterEach
  void close() {
    stream.close();
  }

  private CompletableFuture<Boolean> comes(Invitation invitation) {
    return CompletableFuture.supplyAsync(() -> invitation.serve(stream, "address", socket));
  }

  @Test
  void whoComesIsHandedOverUntilTheConnectionIsClosed() throws Exception {
    Invitation invitation = new Invitation(LONG);
    CompletableFuture<Boolean> visit = comes(invitation);
    AskConnection connection = invitation.connect();
    assertThat(connection.stream()).isSameAs(stream);
    assertThat(connection.address()).isEqualTo("address");
    assertThat(visit).isNotDone();
    connection.close();
    assertThat(socketClosed).isTrue();
    assertThat(visit.get(1, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void nobodyComes() {
    Invitation invitation = new Invitation(1);
    assertThatThrownBy(invitation::connect)
        .isInstanceOf(SocketTimeoutException.class)
        .hasMessageContaining("1 ms");
    // Who comes late is not kept.
    assertThat(invitation.serve(stream, "address", socket)).isFalse();
    assertThat(socketClosed).isFalse();
  }

  @Test
  void theCopyEndsBeforeAnybodyComes() throws Exception {
    Invitation invitation = new Invitation(LONG);
    CompletableFuture<String> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return "a connection to " + invitation.connect().address();
              } catch (IOException e) {
                return e.getMessage();
              }
            });
    invitation.close();
    assertThat(waiting.get(1, TimeUnit.MINUTES)).isEqualTo("the block's copy has ended");
    assertThat(invitation.serve(stream, "address", socket)).isFalse();
  }

  @Test
  void whoIsNeverAskedIsLetGo() throws Exception {
    Invitation invitation = new Invitation(LONG);
    CompletableFuture<Boolean> visit = comes(invitation);
    invitation.close();
    assertThat(visit.get(1, TimeUnit.MINUTES)).isFalse();
  }

  @Test
  void onlyOneComes() throws Exception {
    Invitation invitation = new Invitation(LONG);
    CompletableFuture<Boolean> visit = comes(invitation);
    AskConnection connection = invitation.connect();
    assertThat(invitation.serve(stream, "another", socket)).isFalse();
    connection.close();
    assertThat(visit.get(1, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void invitationsAreFoundOnceByTheirIds() {
    Invitations invitations = new Invitations();
    Invitation one = new Invitation(LONG);
    Invitation other = new Invitation(LONG);
    assertThat(one.id()).hasSize(16).isNotEqualTo(other.id());
    invitations.add(one);
    invitations.add(other);
    byte[] unknown = one.id();
    unknown[0] ^= 1;
    assertThat(invitations.take(unknown)).isNull();
    assertThat(invitations.take(one.id())).isSameAs(one);
    assertThat(invitations.take(one.id())).isNull();
    invitations.withdraw(other);
    assertThat(invitations.take(other.id())).isNull();
    assertThat(invitations.count()).isZero();
    assertThatThrownBy(other::connect).isInstanceOf(IOException.class);
  }
}
