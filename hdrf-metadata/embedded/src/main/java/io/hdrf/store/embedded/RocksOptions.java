/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.DataBlockIndexType;
import org.rocksdb.IndexType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.ReadOptions;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteOptions;

/**
 * Options of the databases, for single look-ups of short random keys, most of them missing, within
 * {@link SharedMemory}. Close them after the database.
 */
final class RocksOptions implements AutoCloseable {

  private static final int BLOOM_BITS_PER_KEY = 10;
  private static final int BLOCK_SIZE = 4 << 10;
  private static final int MAX_OPEN_FILES = 128;
  private static final int ARENA_BLOCK = 16 << 10;
  private static final int MIN_WRITE_BUFFER = 1 << 20;
  private static final int MAX_WRITE_BUFFER = 64 << 20;
  private static final long MAX_MANIFEST_SIZE = 16L << 20;
  private static final long MAX_WAL_SIZE = 64L << 20;
  private static final long INFO_LOG_SIZE = 1L << 20;
  private static final int INFO_LOGS = 2;
  private static final int BYTES_PER_SYNC = 1 << 20;

  private final BloomFilter bloom = new BloomFilter(BLOOM_BITS_PER_KEY);
  private final DBOptions database;
  private final ColumnFamilyOptions table;
  private final ReadOptions lookUp = new ReadOptions();
  private final ReadOptions scan = new ReadOptions().setFillCache(false);

  /** Writes go to the log, which is not synced. */
  private final WriteOptions write = new WriteOptions();

  RocksOptions(SharedMemory memory) {
    database = database(memory);
    table = table(memory, bloom);
  }

  private static DBOptions database(SharedMemory memory) {
    return new DBOptions()
        .setCreateIfMissing(true)
        .setCreateMissingColumnFamilies(true)
        // Else a loss of power could leave a batch in one table and not in another: the log, which
        // is not synced, would end before it.
        .setAtomicFlush(true)
        // A crash may leave a torn tail; anything else is damage, and opening fails.
        .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
        .setMaxManifestFileSize(MAX_MANIFEST_SIZE)
        .setMaxTotalWalSize(MAX_WAL_SIZE)
        .setWriteBufferManager(memory.writeBuffers())
        // Space allocated in advance counts as used, and is many times the content of a small
        // store.
        .setAllowFAllocate(false)
        .setMaxOpenFiles(MAX_OPEN_FILES)
        .setMaxFileOpeningThreads(1)
        .setMaxBackgroundJobs(2)
        .setBytesPerSync(BYTES_PER_SYNC)
        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
        .setMaxLogFileSize(INFO_LOG_SIZE)
        .setKeepLogFileNum(INFO_LOGS)
        .setStatsDumpPeriodSec(0)
        .setStatsPersistPeriodSec(0);
  }

  private static ColumnFamilyOptions table(SharedMemory memory, BloomFilter bloom) {
    return new ColumnFamilyOptions()
        .setWriteBufferSize(
            Math.max(MIN_WRITE_BUFFER, Math.min(MAX_WRITE_BUFFER, memory.bytes() / 8)))
        .setMaxWriteBufferNumber(2)
        // Each table of each store takes one at once. If these alone filled what all stores share,
        // each batch would be flushed.
        .setArenaBlockSize(ARENA_BLOCK)
        // Fingerprints don't compress.
        .setCompressionType(CompressionType.NO_COMPRESSION)
        .setTableFormatConfig(
            new BlockBasedTableConfig()
                .setBlockCache(memory.cache())
                .setBlockSize(BLOCK_SIZE)
                .setDataBlockIndexType(DataBlockIndexType.kDataBlockBinaryAndHash)
                .setFilterPolicy(bloom)
                .setWholeKeyFiltering(true)
                .setIndexType(IndexType.kTwoLevelIndexSearch)
                .setPartitionFilters(true)
                .setCacheIndexAndFilterBlocks(true)
                .setCacheIndexAndFilterBlocksWithHighPriority(true)
                .setPinTopLevelIndexAndFilter(true));
  }

  DBOptions database() {
    return database;
  }

  ColumnFamilyOptions table() {
    return table;
  }

  ReadOptions lookUp() {
    return lookUp;
  }

  ReadOptions scan() {
    return scan;
  }

  WriteOptions write() {
    return write;
  }

  @Override
  public void close() {
    write.close();
    scan.close();
    lookUp.close();
    table.close();
    database.close();
    bloom.close();
  }
}
