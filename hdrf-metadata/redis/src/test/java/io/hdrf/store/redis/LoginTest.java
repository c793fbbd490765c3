/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static io.hdrf.store.redis.RedisStores.batch;
import static io.hdrf.store.redis.RedisStores.configuration;
import static io.hdrf.store.redis.RedisStores.count;
import static io.hdrf.store.redis.RedisStores.get;
import static io.hdrf.store.redis.RedisStores.open;
import static io.hdrf.store.redis.RedisStores.put;
import static io.hdrf.store.redis.RedisStores.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.cluster.RedisServer;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.alias.CredentialProvider;
import org.apache.hadoop.security.alias.CredentialProviderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Users, passwords and rights. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoginTest {

  /** The rights in docs/formats.md. */
  private static final String[] RIGHTS =
      ("~hdrf:1:* +hget +hset +hsetnx +hdel +hgetall +hlen +unlink +multi +exec +discard +ping"
              + " +select +info")
          .split(" ");

  private static final String PASSWORD_KEY = "hdrf.metadata.redis.password";
  private static final String ADMIN = "of-the-admin";
  private static final String SECRET = "s3cret-öf-hdrf";

  @TempDir Path directory;

  private RedisServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        new RedisServer(directory.resolve("redis"))
            .with("user", "default", "off")
            .with("user", "admin", "on", ">" + ADMIN, "~*", "&*", "+@all")
            .loginAs("admin", ADMIN);
    server.start();
    String[] command = new String[5 + RIGHTS.length];
    System.arraycopy(new String[] {"acl", "setuser", "hdrf", "on", ">" + SECRET}, 0, command, 0, 5);
    System.arraycopy(RIGHTS, 0, command, 5, RIGHTS.length);
    server.cli(command);
  }

  @AfterEach
  void stop() throws IOException {
    server.kill();
  }

  private Configuration login(String user, String password) throws IOException {
    Configuration configuration = set(configuration(server), "user", user);
    configuration.set(
        "hadoop.security.credential.provider.path",
        "localjceks://file" + directory.resolve(password.hashCode() + ".jceks"));
    CredentialProvider provider = CredentialProviderFactory.getProviders(configuration).get(0);
    provider.createCredentialEntry(PASSWORD_KEY, password.toCharArray());
    provider.flush();
    return configuration;
  }

  @Test
  void theDocumentedRightsAreEnoughForEverything() throws IOException {
    try (MetadataStore store = open(set(login("hdrf", SECRET), "database", "3"))) {
      put(store, "k", "v");
      store.write(batch("c", 10, 10));
      assertThat(get(store, "k")).isEqualTo("v");
      assertThat(count(store, Table.CHUNKS)).isEqualTo(10);
      assertThat(store.estimatedCount(Table.CHUNKS)).isEqualTo(10);
      assertThat(server.cli("-n", "0", "dbsize")).isEqualTo("0");
      assertThat(server.cli("-n", "3", "dbsize")).isNotEqualTo("0");
      store.clear();
      assertThat(count(store, Table.CHUNKS)).isZero();
    }
    assertThat(server.cli("acl", "log")).isEmpty();
  }

  @Test
  void aLoginThatFailsNamesTheKeysAndNotThePassword() throws IOException {
    Configuration none = configuration(server);
    Configuration wrong = login("hdrf", "wrong-secret");
    Configuration withoutRights = login("nobody", SECRET);
    server.cli("acl", "setuser", "nobody", "on", ">" + SECRET);
    for (Configuration configuration : List.of(none, wrong, withoutRights)) {
      assertThatThrownBy(() -> open(configuration))
          .isInstanceOf(StoreUnreachableException.class)
          .hasMessageContaining(server.address())
          .hasMessageContaining("hdrf.metadata.redis.user")
          .hasMessageContaining(PASSWORD_KEY)
          .hasMessageNotContaining("wrong-secret")
          .hasMessageNotContaining(SECRET);
    }
  }

  @Test
  void aPasswordInPlainXmlIsRefusedAndNotShown() throws IOException {
    Configuration configuration = login("hdrf", SECRET);
    configuration.set(PASSWORD_KEY, SECRET);
    assertThatThrownBy(
            () ->
                new RedisStoreProvider()
                    .checkSettings(new PluginSettings(configuration, "metadata.redis")))
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining(PASSWORD_KEY)
        .hasMessageContaining("hadoop.security.credential.provider.path")
        .hasMessageNotContaining(SECRET);
    assertThatThrownBy(() -> open(configuration)).hasMessageNotContaining(SECRET);
  }

  @Test
  void aDatabaseThatIsNotThereNamesTheKey() throws IOException {
    Configuration configuration = set(login("hdrf", SECRET), "database", "99");
    assertThatThrownBy(() -> open(configuration))
        .isInstanceOf(StoreUnreachableException.class)
        .hasMessageContaining("hdrf.metadata.redis.database");
  }
}
