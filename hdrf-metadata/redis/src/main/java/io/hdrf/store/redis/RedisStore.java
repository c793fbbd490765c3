/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreVersionException;
import io.hdrf.spi.store.StoreVisitor;
import io.hdrf.spi.store.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Protocol;

/**
 * A store whose entries lie in Redis in the layout of {@link RedisNamespace}. The server's own
 * settings decide which entries survive its end.
 */
final class RedisStore implements MetadataStore {

  private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);
  private static final Pattern POLICY = Pattern.compile("(?m)^maxmemory_policy:(\\S+)");
  private static final String SAFE_POLICY = "noeviction";
  private static final String EVICTING = "allkeys-";

  private static final int UNLINK_KEYS = 200;

  /** The size in bytes of the buckets that a scan reads at once, about. */
  private static final int SCAN_BYTES = 1 << 20;

  /** Where buckets are long, a few at once reach the limit of {@link ReplyGuard}. */
  private static final int FIRST_SCAN_BUCKETS = 1;

  /** The number of entries on which an estimate rests: its error is about 5 %. */
  private static final int SAMPLE_ENTRIES = 400;

  private static final int SCAN_GROWTH = 4;

  private static final int FIRST_SAMPLE_BUCKETS = 256;
  private static final int SAMPLE_GROWTH = 16;

  private final RedisClient client;
  private final RedisNamespace namespace;
  private final int buckets;

  /** Whether the last request to the server had no answer. */
  private boolean silent;

  private RedisStore(RedisClient client, RedisNamespace namespace, int buckets) {
    this.client = client;
    this.namespace = namespace;
    this.buckets = buckets;
  }

  /** Opens a namespace; creates it if it does not exist. */
  static RedisStore open(RedisSettings settings, Connector connector, RedisNamespace namespace)
      throws MetadataException {
    RedisClient client =
        new RedisClient(settings, connector, Primary.of(settings, connector, namespace));
    try {
      Command get = getFormat(namespace);
      byte[] format = value(client.read(Collections.singletonList(get)).get(0), client);
      if (format == null) {
        Command put = putFormat(namespace, settings.buckets());
        format = value(client.change(Arrays.asList(put, get)).get(1), client);
      }
      int buckets = bucketsOf(format, client, namespace);
      if (buckets != settings.buckets()) {
        LOG.info(
            "{}: {} keeps the {} buckets that it was made with; {} is {}",
            client,
            namespace,
            buckets,
            settings.key(RedisSettings.BUCKETS),
            settings.buckets());
      }
      RedisStore store = new RedisStore(client, namespace, buckets);
      client = null;
      return store;
    } finally {
      if (client != null) {
        client.close();
      }
    }
  }

  private static Command getFormat(RedisNamespace namespace) {
    return new Command(Protocol.Command.HGET, namespace.formatKey(), RedisNamespace.FORMAT_FIELD);
  }

  /** Returns the command that puts the format if there is none. */
  private static Command putFormat(RedisNamespace namespace, int buckets) {
    return new Command(
        Protocol.Command.HSETNX,
        namespace.formatKey(),
        RedisNamespace.FORMAT_FIELD,
        RedisNamespace.format(buckets));
  }

  private static int bucketsOf(byte[] format, RedisClient client, RedisNamespace namespace)
      throws MetadataException {
    int version = format == null ? -1 : RedisNamespace.versionOf(format);
    if (version > RedisNamespace.VERSION) {
      throw new StoreVersionException(
          String.format(
              "%s: %s was written by a later HDRF: it has format version %d, known is %d",
              client, namespace, version, RedisNamespace.VERSION));
    }
    int buckets = version == RedisNamespace.VERSION ? RedisNamespace.bucketsOf(format) : -1;
    if (buckets < 0) {
      throw new StoreCorruptException(
          String.format(
              "%s: %snamespace has the format \"%s\"; delete all keys of %s",
              client, namespace, format == null ? "" : new String(format, ISO_8859_1), namespace));
    }
    return buckets;
  }

  /**
   * HDRF's keys never expire, so only policies for all keys drop them. The number of keys that the
   * server dropped shows nothing: they may be others', and each new server counts from 0.
   */
  @Override
  public synchronized String mayForget() throws MetadataException {
    Command info = new Command(Protocol.Command.INFO, "memory".getBytes(ISO_8859_1));
    Object answer = client.tryRead(Collections.singletonList(info)).get(0);
    String policy = field(POLICY, answer);
    if (policy == null) {
      if (!silent) {
        LOG.warn(
            "{} does not tell its eviction policy: {}. Whether it drops records when its memory is"
                + " full is not known; let the user run INFO, and see that maxmemory-policy is {}",
            client,
            text(answer),
            SAFE_POLICY);
        silent = true;
      }
      return null;
    }
    silent = false;
    return policy.startsWith(EVICTING)
        ? client
            + " has the eviction policy "
            + policy
            + " and drops records when its memory is full; set maxmemory-policy "
            + SAFE_POLICY
            + " in redis.conf"
        : null;
  }

  private static String field(Pattern pattern, Object answer) {
    Matcher found = pattern.matcher(text(answer));
    return found.find() ? found.group(1) : null;
  }

  private static String text(Object answer) {
    return answer instanceof byte[]
        ? new String((byte[]) answer, ISO_8859_1)
        : String.valueOf(answer instanceof Throwable ? ((Throwable) answer).getMessage() : answer);
  }

  @Override
  public List<byte[]> get(Table table, List<byte[]> keys) throws MetadataException {
    List<Command> commands = new ArrayList<>(keys.size());
    for (byte[] key : keys) {
      commands.add(new Command(Protocol.Command.HGET, hashOf(table, key), key));
    }
    List<byte[]> values = new ArrayList<>(keys.size());
    for (Object answer : client.read(commands)) {
      values.add(value(answer, client));
    }
    return values;
  }

  @Override
  public void write(StoreBatch batch) throws MetadataException {
    if (batch.size() == 0) {
      client.read(Collections.emptyList());
      return;
    }
    List<Command> commands = new ArrayList<>(batch.size());
    boolean puts = false;
    for (StoreBatch.Change change : batch.changes()) {
      byte[] hash = hashOf(change.table(), change.key());
      if (change.value() == null) {
        commands.add(new Command(Protocol.Command.HDEL, hash, change.key()));
      } else {
        commands.add(new Command(Protocol.Command.HSET, hash, change.key(), change.value()));
        puts = true;
      }
    }
    List<Command> before =
        puts
            ? Arrays.asList(putFormat(namespace, buckets), getFormat(namespace))
            : Collections.emptyList();
    List<Object> answers = client.changeTogether(before, commands);
    if (puts) {
      checkFormat(value(answers.get(1), client));
    }
  }

  /**
   * Checks the namespace's format: the server may have been emptied, and the namespace made again,
   * since it was opened. With another number of buckets, readers would look in other buckets.
   */
  private void checkFormat(byte[] format) throws StoreCorruptException {
    if (!Arrays.equals(format, RedisNamespace.format(buckets))) {
      throw new StoreCorruptException(
          String.format(
              "%s: %s was made anew with another number of buckets by somebody else",
              client, namespace));
    }
  }

  @Override
  public void scan(Table table, byte[] prefix, StoreVisitor visitor) throws MetadataException {
    int hashes = hashesOf(table);
    int atOnce = FIRST_SCAN_BUCKETS;
    for (int from = 0; from < hashes; ) {
      int to = Math.min(hashes, from + atOnce);
      List<Command> commands = new ArrayList<>(to - from);
      for (int i = from; i < to; i++) {
        commands.add(new Command(Protocol.Command.HGETALL, hash(table, i)));
      }
      long bytes = 0;
      for (Object answer : client.read(commands)) {
        List<?> pairs = pairs(answer);
        for (int i = 0; i < pairs.size(); i += 2) {
          byte[] key = value(pairs.get(i), client);
          byte[] value = value(pairs.get(i + 1), client);
          if (key == null || value == null) {
            throw nonsense(client);
          }
          bytes += key.length + value.length;
          if (MetadataStore.startsWith(key, prefix) && !visitor.visit(key, value)) {
            return;
          }
        }
      }
      long bytesPerBucket = 1 + bytes / (to - from);
      atOnce =
          (int)
              Math.max(
                  1,
                  Math.min(
                      Math.min(Pipeline.MAX_COMMANDS, SCAN_GROWTH * atOnce),
                      SCAN_BYTES / bytesPerBucket));
      from = to;
    }
  }

  /** Returns a value of the server, if HDRF could have written it. */
  private static byte[] value(Object answer, RedisClient client) throws MetadataException {
    if (answer != null
        && (!(answer instanceof byte[]) || ((byte[]) answer).length > MAX_VALUE_LENGTH)) {
      throw nonsense(client);
    }
    return (byte[]) answer;
  }

  private static long count(Object answer, RedisClient client) throws MetadataException {
    if (!(answer instanceof Long)) {
      throw nonsense(client);
    }
    return (Long) answer;
  }

  private List<?> pairs(Object answer) throws MetadataException {
    if (!(answer instanceof List) || ((List<?>) answer).size() % 2 != 0) {
      throw nonsense(client);
    }
    return (List<?>) answer;
  }

  private static MetadataException nonsense(RedisClient client) {
    return new StoreCorruptException(client + " holds or answers what HDRF never wrote");
  }

  /** Counts a sample of the buckets; the emptier they are, the larger the sample. */
  @Override
  public long estimatedCount(Table table) throws MetadataException {
    int hashes = hashesOf(table);
    for (int sample = Math.min(hashes, FIRST_SAMPLE_BUCKETS); ; ) {
      int step = hashes / sample;
      long counted = 0;
      // Asks in parts, so that each answer is checked before more are kept.
      for (int i = 0; i < hashes; ) {
        List<Command> commands = new ArrayList<>();
        for (; i < hashes && commands.size() < Pipeline.MAX_COMMANDS; i += step) {
          commands.add(new Command(Protocol.Command.HLEN, hash(table, i)));
        }
        for (Object answer : client.read(commands)) {
          counted += count(answer, client);
        }
      }
      if (counted >= SAMPLE_ENTRIES || sample == hashes) {
        return counted * step;
      }
      sample = Math.min(hashes, sample * SAMPLE_GROWTH);
    }
  }

  /** Keeps the namespace itself, with its number of buckets. */
  @Override
  public void clear() throws MetadataException {
    client.change(
        Collections.singletonList(new Command(Protocol.Command.UNLINK, namespace.stateKey())));
    for (Table table : Table.values()) {
      int hashes = hashesOf(table);
      for (int from = 0; from < hashes; from += UNLINK_KEYS) {
        byte[][] keys = new byte[Math.min(UNLINK_KEYS, hashes - from)][];
        for (int i = 0; i < keys.length; i++) {
          keys[i] = hash(table, from + i);
        }
        client.change(Collections.singletonList(new Command(Protocol.Command.UNLINK, keys)));
      }
    }
  }

  private byte[] hashOf(Table table, byte[] key) {
    return namespace.hashOf(table, key, buckets);
  }

  private int hashesOf(Table table) {
    return table == Table.STATE ? 1 : buckets;
  }

  private byte[] hash(Table table, int number) {
    return table == Table.STATE ? namespace.stateKey() : namespace.bucketKey(table, number);
  }

  @Override
  public void close() {
    client.close();
  }

  @Override
  public String toString() {
    return client + " " + namespace;
  }
}
