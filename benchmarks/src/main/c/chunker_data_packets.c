/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture of an access network in libpcap's format, rotated by size: what repeats is torn into
 * segments, between headers that never repeat.
 *
 * - Packets of many TCP connections take turns, in bursts. Each has a record header with its time
 *   and Ethernet, IPv4 and TCP headers with rising sequence numbers and true checksums, so that no
 *   packet equals another, and no chunk that reaches over a header is a duplicate.
 * - Two thirds of the connections are HTTP: clients request objects from one catalogue, a few of
 *   them much more often than the others, as caches see it. Before an object comes a response
 *   header whose length differs, and paths have segments of different sizes, so that the same
 *   object is cut elsewhere each time. Half of the objects are text, the others are compressed.
 * - The other connections are encrypted: the same object would be other bytes; they are random.
 * - A quarter of the connections end at the machine that captures, where segments are merged
 *   before they are seen (generic receive offload): packets of up to 64 KB. Without those, chunks
 *   that are much larger than a segment of 1460 bytes would find nothing.
 * - Acknowledgements have no payload; what is short of an Ethernet frame is filled up with zeros.
 *
 * Connections are neither opened nor closed, and nothing is lost or sent twice.
 */
#include "chunker_data.h"

#include <inttypes.h>
#include <string.h>

#define FILES 4
#define CONNECTIONS 64
#define CLIENTS 200
#define CATALOGUE_SHARE 4
#define LARGEST_OBJECT 20
#define ENCRYPTED_PERCENT 35
#define MERGED_PERCENT 25
#define KEPT_ALIVE_PERCENT 60
#define BURST_PERCENT 75
#define MAX_MERGED 44
#define TLS_RECORD 16389
#define VOCABULARY 2000
#define RECORD_HEADER 16
#define ETHERNET_HEADER 14
#define IP_HEADER 20
#define SHORTEST_FRAME 60
#define MAX_TEXT 1024
#define MAX_PACKET (RECORD_HEADER + 65536 + ETHERNET_HEADER)

struct object {
    size_t begin;
    uint32_t length;
};

struct catalogue {
    uint8_t *content;
    struct object *objects;
    /* A power of two. */
    uint32_t count;
    uint32_t count_log2;
};

/* A client is end 0, a server end 1. */
struct connection {
    uint32_t address[2];
    uint16_t port[2];
    /* The next byte that each end will send. */
    uint32_t sequence[2];
    uint16_t identification[2];
    uint16_t segment;
    bool has_timestamps;
    bool is_encrypted;
    bool is_merged;
    /* What the server is sending: `text`, then the object; or random bytes. */
    uint8_t text[MAX_TEXT];
    uint32_t text_length;
    struct object object;
    uint32_t sent;
    uint32_t to_send;
    uint32_t unacknowledged;
};

struct capture {
    struct generator random;
    struct catalogue catalogue;
    struct output output;
    uint64_t microseconds;
    struct connection connections[CONNECTIONS];
    uint8_t packet[MAX_PACKET];
};

static const uint16_t segments[] = {1460, 1448, 1412, 1380, 1360};

static uint8_t *put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
    return at + 2;
}

static uint8_t *put32(uint8_t *at, uint32_t value)
{
    return put16(put16(at, value >> 16), value);
}

/* libpcap's own headers are little-endian. */
static uint8_t *put32_little(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        *at++ = (uint8_t)(value >> 8 * i);
    }
    return at;
}

static void fill_text(struct generator *random, uint8_t *text, size_t length)
{
    static char vocabulary[VOCABULARY][12];
    for (size_t w = 0; vocabulary[VOCABULARY - 1][0] == 0 && w < VOCABULARY; w++) {
        uint32_t letters = 2 + next_below(random, 9);
        for (uint32_t i = 0; i < letters; i++) {
            vocabulary[w][i] = (char)('a' + next_below(random, 26));
        }
    }
    size_t i = 0;
    while (i < length) {
        const char *word = vocabulary[next_size(random, 0, 11) % VOCABULARY];
        for (; *word != 0 && i < length; word++) {
            text[i++] = (uint8_t)*word;
        }
        if (i < length) {
            text[i++] = next_below(random, 12) == 0 ? '\n' : ' ';
        }
    }
}

static struct catalogue make_catalogue(struct generator *random, size_t bytes)
{
    struct catalogue catalogue = {.count = 1};
    uint32_t largest = LARGEST_OBJECT;
    while (largest > 12 && (size_t)1 << largest > bytes / 8) {
        largest--;
    }
    catalogue.content = allocate(bytes + ((size_t)1 << largest));
    catalogue.objects = allocate((bytes >> 10) * sizeof *catalogue.objects + sizeof(struct object));
    size_t filled = 0;
    uint32_t count = 0;
    while (filled < bytes) {
        struct object *object = &catalogue.objects[count++];
        object->begin = filled;
        object->length = next_size(random, 10, largest);
        uint8_t *content = catalogue.content + filled;
        if (next_below(random, 2) == 0) {
            fill_text(random, content, object->length);
        } else {
            fill_random(random, content, object->length);
        }
        filled += object->length;
    }
    while (catalogue.count * 2 <= count) {
        catalogue.count *= 2;
        catalogue.count_log2++;
    }
    return catalogue;
}

/* The object of rank r is requested about 1/r as often as the first one. */
static uint32_t popular(struct capture *capture)
{
    if (capture->catalogue.count_log2 == 0) {
        return 0;
    }
    return next_size(&capture->random, 0, capture->catalogue.count_log2) - 1;
}

static struct connection connect(struct generator *random)
{
    struct connection connection = {0};
    connection.address[0] = 0x0a000000 | next_below(random, CLIENTS);
    connection.address[1] = 0xc6336400 | next_below(random, 40);
    connection.is_encrypted = next_below(random, 100) < ENCRYPTED_PERCENT;
    connection.is_merged = next_below(random, 100) < MERGED_PERCENT;
    for (int end = 0; end < 2; end++) {
        connection.sequence[end] = (uint32_t)next_number(random);
        connection.identification[end] = (uint16_t)next_number(random);
    }
    connection.port[0] = (uint16_t)(32768 + next_below(random, 28000));
    connection.port[1] = connection.is_encrypted ? 443 : 80;
    connection.segment = segments[next_below(random, sizeof segments / sizeof segments[0])];
    connection.has_timestamps = connection.segment != 1460;
    return connection;
}

static uint32_t sum16(uint32_t sum, const uint8_t *data, size_t length)
{
    for (size_t i = 0; i + 1 < length; i += 2) {
        sum += (uint32_t)data[i] << 8 | data[i + 1];
    }
    return length % 2 != 0 ? sum + ((uint32_t)data[length - 1] << 8) : sum;
}

static uint32_t checksum(uint32_t sum)
{
    while (sum >> 16 != 0) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return ~sum & 0xffff;
}

static uint8_t *put_ethernet(uint8_t *at, uint32_t from, uint32_t to)
{
    at = put32(put16(at, 0x0242), to);
    at = put32(put16(at, 0x0242), from);
    return put16(at, 0x0800);
}

static uint8_t *put_ip(uint8_t *at, struct connection *connection, int from, size_t length)
{
    uint8_t *header = at;
    at = put16(at, 0x4500);
    at = put16(at, (uint32_t)length);
    at = put16(at, connection->identification[from]++);
    at = put16(at, 0x4000);
    at = put16(at, (from == 0 ? 64U : 57U) << 8 | 6);
    at = put16(at, 0);
    at = put32(at, connection->address[from]);
    at = put32(at, connection->address[1 - from]);
    put16(header + 10, checksum(sum16(0, header, IP_HEADER)));
    return at;
}

/* The options included; the checksum is that of the payload behind it, too. */
static void put_tcp(const struct capture *capture, uint8_t *at, const struct connection *connection,
                    int from, size_t header_length, size_t payload)
{
    uint8_t *header = at;
    at = put16(at, connection->port[from]);
    at = put16(at, connection->port[1 - from]);
    at = put32(at, connection->sequence[from]);
    at = put32(at, connection->sequence[1 - from]);
    at = put16(at, (uint32_t)(header_length / 4) << 12 | (payload != 0 ? 0x18 : 0x10));
    at = put16(at, 501);
    at = put32(at, 0);
    if (connection->has_timestamps) {
        uint32_t milliseconds = (uint32_t)(capture->microseconds / 1000);
        at = put32(at, 0x0101080a);
        at = put32(at, milliseconds + connection->address[from]);
        put32(at, milliseconds - 20 + connection->address[1 - from]);
    }
    uint32_t sum = 6 + (uint32_t)(header_length + payload);
    for (int end = 0; end < 2; end++) {
        sum += (connection->address[end] >> 16) + (connection->address[end] & 0xffff);
    }
    put16(header + 16, checksum(sum16(sum, header, header_length + payload)));
}

/* Where the payload of the connection's next packet belongs. */
static uint8_t *payload_of(struct capture *capture, const struct connection *connection)
{
    size_t tcp_header = connection->has_timestamps ? 32 : 20;
    return capture->packet + RECORD_HEADER + ETHERNET_HEADER + IP_HEADER + tcp_header;
}

/* Sends what is at payload_of(). */
static void send_packet(struct capture *capture, struct connection *connection, int from,
                        size_t payload)
{
    capture->microseconds += 1 + next_below(&capture->random, 120);
    uint8_t *frame = capture->packet + RECORD_HEADER;
    uint8_t *behind = payload_of(capture, connection) + payload;
    size_t length = (size_t)(behind - frame);
    uint8_t *ip = put_ethernet(frame, connection->address[from], connection->address[1 - from]);
    uint8_t *tcp = put_ip(ip, connection, from, length - ETHERNET_HEADER);
    put_tcp(capture, tcp, connection, from, (size_t)(behind - tcp) - payload, payload);
    if (length < SHORTEST_FRAME) {
        memset(behind, 0, SHORTEST_FRAME - length);
        length = SHORTEST_FRAME;
    }
    uint8_t *at = put32_little(capture->packet, (uint32_t)(capture->microseconds / 1000000));
    at = put32_little(at, (uint32_t)(capture->microseconds % 1000000));
    at = put32_little(at, (uint32_t)length);
    put32_little(at, (uint32_t)length);
    put(&capture->output, capture->packet, RECORD_HEADER + length);
    connection->sequence[from] += (uint32_t)payload;
}

static void request(struct capture *capture, struct connection *connection)
{
    struct generator *random = &capture->random;
    uint8_t *payload = payload_of(capture, connection);
    connection->sent = 0;
    if (connection->is_encrypted) {
        uint32_t length = 200 + next_below(random, 600);
        fill_random(random, payload, length);
        connection->to_send = next_size(random, 10, LARGEST_OBJECT);
        send_packet(capture, connection, 0, length);
        return;
    }
    uint32_t number = popular(capture);
    uint64_t identity = next_number(random);
    uint32_t age = next_size(random, 0, 16);
    connection->object = capture->catalogue.objects[number];
    connection->text_length = (uint32_t)format(
        connection->text, MAX_TEXT,
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Mon, 23 Nov 2026 %02" PRIu64 ":%02" PRIu64
        ":%02" PRIu64 " GMT\r\nContent-Type: text/html\r\nContent-Length: %" PRIu32
        "\r\nETag: \"%" PRIx32 "\"\r\nX-Request: %" PRIx64 "\r\nAge: %" PRIu32 "\r\n\r\n",
        capture->microseconds / 3600000000 % 24, capture->microseconds / 60000000 % 60,
        capture->microseconds / 1000000 % 60, connection->object.length, number * 2654435761U,
        identity, age);
    connection->to_send = connection->text_length + connection->object.length;
    size_t length = format(payload, MAX_TEXT,
                           "GET /static/object-%" PRIu32
                           " HTTP/1.1\r\nHost: www-%" PRIu32
                           ".example.org\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:%" PRIu32
                           ".0)\r\nAccept: */*\r\nCookie: session=%" PRIx64 "\r\n\r\n",
                           number, connection->address[1] & 63,
                           90 + (connection->address[0] & 31), next_number(random));
    send_packet(capture, connection, 0, length);
}

/* Random bytes, with the header of a record of TLS 1.2 or later wherever one begins. */
static void fill_encrypted(struct generator *random, uint8_t *payload, uint32_t sent,
                           uint32_t length)
{
    static const uint8_t header[] = {0x17, 3, 3, (TLS_RECORD - 5) >> 8, (TLS_RECORD - 5) & 0xff};
    fill_random(random, payload, length);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t in_record = (sent + i) % TLS_RECORD;
        if (in_record < sizeof header) {
            payload[i] = header[in_record];
        } else {
            i += TLS_RECORD - in_record - 1;
        }
    }
}

static void fill_response(struct capture *capture, const struct connection *connection,
                          uint8_t *payload, uint32_t length)
{
    uint32_t sent = connection->sent;
    if (connection->is_encrypted) {
        fill_encrypted(&capture->random, payload, sent, length);
        return;
    }
    if (sent < connection->text_length) {
        uint32_t left = connection->text_length - sent;
        uint32_t part = length < left ? length : left;
        memcpy(payload, connection->text + sent, part);
        payload += part;
        length -= part;
        sent += part;
    }
    memcpy(payload,
           capture->catalogue.content + connection->object.begin +
               (sent - connection->text_length),
           length);
}

/* A segment, or several as one packet. */
static void respond(struct capture *capture, struct connection *connection)
{
    uint32_t merged = connection->is_merged ? 1 + next_below(&capture->random, MAX_MERGED) : 1;
    uint32_t left = connection->to_send - connection->sent;
    uint32_t length = connection->segment * merged;
    length = length < left ? length : left;
    fill_response(capture, connection, payload_of(capture, connection), length);
    send_packet(capture, connection, 1, length);
    connection->sent += length;
    connection->unacknowledged += merged;
}

static void step(struct capture *capture, struct connection *connection)
{
    if (connection->unacknowledged >= 2) {
        connection->unacknowledged = 0;
        send_packet(capture, connection, 0, 0);
    } else if (connection->sent < connection->to_send) {
        respond(capture, connection);
    } else {
        if (next_below(&capture->random, 100) >= KEPT_ALIVE_PERCENT) {
            *connection = connect(&capture->random);
        }
        request(capture, connection);
    }
}

static void put_file_header(struct output *output)
{
    uint8_t header[24];
    uint8_t *at = put32_little(header, 0xa1b2c3d4);
    at = put32_little(at, 4 << 16 | 2); /* Version 2.4. */
    at = put32_little(at, 0);
    at = put32_little(at, 0);
    at = put32_little(at, 262144); /* No packet is longer. */
    put32_little(at, 1);           /* Ethernet. */
    put(output, header, sizeof header);
}

void write_packets(uint64_t seed, uint64_t bytes)
{
    struct capture *capture = allocate(sizeof *capture);
    *capture = (struct capture){.random = {seed}, .microseconds = UINT64_C(1795305600000000)};
    capture->catalogue = make_catalogue(&capture->random, (size_t)(bytes / CATALOGUE_SHARE));
    for (int c = 0; c < CONNECTIONS; c++) {
        capture->connections[c] = connect(&capture->random);
    }
    struct connection *current = capture->connections;
    for (int f = 1; f <= FILES; f++) {
        begin_file(&capture->output, "pcap", f);
        put_file_header(&capture->output);
        while (capture->output.written < bytes / FILES) {
            if (next_below(&capture->random, 100) >= BURST_PERCENT) {
                current = &capture->connections[next_below(&capture->random, CONNECTIONS)];
            }
            step(capture, current);
        }
        end_file(&capture->output);
    }
}
