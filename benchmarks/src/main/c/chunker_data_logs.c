/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backups of a log that grows, as a nightly job copies a DataNode's: what repeats is long, but
 * stands at other offsets in each of them.
 *
 * - Between two backups a tenth of the lines is rotated out at the head, and as many have been
 *   written at the end.
 * - 1 line in 2000 of those that stay is written anew, with another length: as by a tool that masks
 *   names, or copies that are patched. It is what cuts long repetitions into pieces.
 * - A line has some 60 bytes in common with thousands of others (class, pool, address of this node)
 *   but for its time and its numbers, so that hashes of few bytes are equal in many places.
 */
#include "chunker_data.h"

#include <inttypes.h>

#define BACKUPS 6
#define ROTATED 10
#define REWRITTEN 2000
#define MAX_LINE 512
/* Between two lines, in milliseconds, at most. */
#define PAUSE 40

static const char *const classes[] = {"DataNode",       "BlockReceiver",  "FsDatasetImpl",
                                      "DataXceiver",    "BPServiceActor", "PacketResponder",
                                      "DirectoryScanner"};
#define CLASSES (sizeof classes / sizeof classes[0])
#define POOL "BP-1718-10.0.0.1-1600000000000"

/* How often line `line` was written anew until a backup. */
static uint32_t version_of(uint64_t seed, uint64_t line, int backup)
{
    uint32_t version = 0;
    for (int b = 1; b <= backup; b++) {
        struct generator generator = {seed ^ line << 8 ^ (uint64_t)b};
        version += next_below(&generator, REWRITTEN) == 0;
    }
    return version;
}

static size_t message(struct generator *generator, uint8_t *text, size_t capacity)
{
    uint32_t block = 1073741825 + next_below(generator, 200000);
    uint32_t stamp = 1001 + next_below(generator, 100000);
    uint32_t rack = next_below(generator, 4);
    uint32_t node = next_below(generator, 250);
    uint32_t port = 32768 + next_below(generator, 28000);
    uint32_t length = next_below(generator, 134217728);
    uint32_t task = next_below(generator, 5000);
    uint32_t nanoseconds = next_below(generator, 1000000000);
    switch (next_below(generator, 5)) {
    case 0:
        return format(text, capacity,
                      "Receiving " POOL ":blk_%" PRIu32 "_%" PRIu32 " src: /10.0.%" PRIu32
                      ".%" PRIu32 ":%" PRIu32 " dest: /10.0.0.7:9866\n",
                      block, stamp, rack, node, port);
    case 1:
        return format(text, capacity,
                      "PacketResponder: " POOL ":blk_%" PRIu32 "_%" PRIu32
                      ", type=LAST_IN_PIPELINE terminating\n",
                      block, stamp);
    case 2:
        return format(text, capacity,
                      "src: /10.0.%" PRIu32 ".%" PRIu32 ":%" PRIu32
                      ", dest: /10.0.0.7:9866, bytes: %" PRIu32
                      ", op: HDFS_WRITE, cliID: DFSClient_attempt_16_0001_m_%06" PRIu32
                      "_0_-1_1, offset: 0, srvID: 3f2a, blockid: " POOL ":blk_%" PRIu32
                      "_%" PRIu32 ", duration(ns): %" PRIu32 "\n",
                      rack, node, port, length, task, block, stamp, nanoseconds);
    case 3:
        return format(text, capacity,
                      "Scheduling blk_%" PRIu32 "_%" PRIu32
                      " replica FinalizedReplica, blk_%" PRIu32 "_%" PRIu32
                      ", FINALIZED for deletion\n",
                      block, stamp, block, stamp);
    default:
        return format(text, capacity,
                      "Slow BlockReceiver write packet to mirror took %" PRIu32
                      "ms (threshold=300ms)\n",
                      300 + next_below(generator, 5000));
    }
}

static void put_line(struct output *output, uint64_t seed, uint64_t line, uint32_t version)
{
    struct generator of_time = {seed + line};
    uint64_t time = line * PAUSE + next_below(&of_time, PAUSE);
    struct generator generator = {next_number(&of_time) + version};
    uint8_t text[MAX_LINE];
    size_t length = format(text, sizeof text,
                           "2026-%02" PRIu64 "-%02" PRIu64 " %02" PRIu64 ":%02" PRIu64
                           ":%02" PRIu64 ",%03" PRIu64
                           " INFO org.apache.hadoop.hdfs.server.datanode.%s: ",
                           1 + time / 86400000 / 28 % 12, 1 + time / 86400000 % 28,
                           time / 3600000 % 24, time / 60000 % 60, time / 1000 % 60, time % 1000,
                           classes[next_below(&generator, CLASSES)]);
    length += message(&generator, text + length, sizeof text - length);
    put(output, text, length);
}

void write_logs(uint64_t seed, uint64_t bytes)
{
    struct output output;
    uint64_t lines = 0;
    begin_file(&output, "log", 1);
    while (output.written < bytes / BACKUPS) {
        put_line(&output, seed, lines++, 0);
    }
    end_file(&output);
    for (int b = 1; b < BACKUPS; b++) {
        uint64_t first = lines * (uint64_t)b / ROTATED;
        begin_file(&output, "log", b + 1);
        for (uint64_t line = first; line < first + lines; line++) {
            put_line(&output, seed, line, version_of(seed, line, b));
        }
        end_file(&output);
    }
}
