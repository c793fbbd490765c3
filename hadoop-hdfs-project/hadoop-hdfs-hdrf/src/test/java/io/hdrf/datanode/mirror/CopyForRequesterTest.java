/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.reduce.HookedScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.wire.Fallback;
import io.hdrf.wire.WireChains;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers to a DataNode that asks for a copy in records, since it knows a scheme of this one. */
class CopyForRequesterTest {

  private static final int DATA = 3000;

  private final HookedScheme common = new HookedScheme("common", 65201, Integer.MAX_VALUE);
  private SchemeRegistry ofRequester;

  @BeforeEach
  void load() throws IOException {
    ofRequester = SchemeRegistry.of(List.of(common));
  }

  @Test
  void oneThatLacksTheSchemeGetsAnother() throws IOException {
    assertArrives(new HookedScheme("own", 65202, Integer.MAX_VALUE));
  }

  @Test
  void aSchemeThatDoesNotOpenHereIsNotUsed() throws IOException {
    // It opens there.
    ofRequester =
        SchemeRegistry.of(List.of(common, new HookedScheme("own", 65202, Integer.MAX_VALUE)));
    assertArrives(
        new HookedScheme("own", 65202, Integer.MAX_VALUE) {
          @Override
          public FrameCodec newCodec(PluginSettings settings) {
            throw new AssertionError("no native library");
          }
        });
  }

  private void assertArrives(HookedScheme own) throws IOException {
    SchemeRegistry schemes = SchemeRegistry.of(List.of(own, common));
    try (Mirroring source = mirroring("own", schemes);
        Mirroring requester = mirroring("common", ofRequester)) {
      assertThat(requester.link(InetSocketAddress.createUnresolved("source", 1), source::own, null))
          .as("that it asks in records")
          .isNotNull();
      ByteArrayOutputStream wire = new ByteArrayOutputStream();
      byte[] answer = answer();
      MirrorOutput out = MirrorOutput.ofServer(source, wire);
      out.beginReply(
          BlockTransfer.of(request()),
          InetSocketAddress.createUnresolved("requester", 0),
          requester.own());
      out.write(answer, 0, answer.length);
      out.flush();
      WireChains chains = new WireChains(ofRequester, new Configuration(false));
      assertThat(ReceivedBytes.of(wire.toByteArray(), chains).bytes()).isEqualTo(answer);
      String counter = "mirrorFallback" + Fallback.PEER_LACKS_SCHEME.metricName();
      assertThat(source.counters().value(counter)).isOne();
    }
  }

  private static Mirroring mirroring(String name, SchemeRegistry schemes) throws IOException {
    SchemeChain chain = SchemeChain.parse("chain", name, schemes);
    return new MemoryStore(chain).mirroring(new Configuration(false), schemes, chain);
  }

  private static StreamOpening request() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new Sender(new DataOutputStream(bytes))
        .copyBlock(new ExtendedBlock("BP-1", 5, DATA, 1), BlockTokenSecretManager.DUMMY_TOKEN);
    StreamOpening opening = StreamOpening.request();
    opening.take(bytes.toByteArray(), 0, bytes.size());
    return opening;
  }

  private static byte[] answer() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    BlockOpResponseProto.newBuilder().setStatus(Status.SUCCESS).build().writeDelimitedTo(bytes);
    new PacketHeader(Integer.BYTES + DATA, 0, 0, false, DATA, false).write(out);
    out.write(new byte[DATA]);
    new PacketHeader(Integer.BYTES, DATA, 1, true, 0, false).write(out);
    return bytes.toByteArray();
  }
}
