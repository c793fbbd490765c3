/* SPDX-License-Identifier: Apache-2.0 */
#include "chunkers_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BAR 50

static double mean(const struct statistics *statistics)
{
    return statistics->sum / (double)statistics->chunks;
}

static double variance(const struct statistics *statistics)
{
    double average = mean(statistics);
    return statistics->squares / (double)statistics->chunks - average * average;
}

static double percent(uint64_t bytes, const struct measurement *measurement)
{
    return 100 * (double)bytes / (double)measurement->total;
}

/* GB of duplicates found in a second. */
static double bsps(const struct result *result, double throughput,
                   const struct measurement *measurement)
{
    return throughput * (double)result->statistics.duplicate / (double)measurement->total;
}

static const struct variant *fastest(const struct result *result)
{
    const struct variant *best = &result->variants[0];
    for (int v = 1; v < result->variant_count; v++) {
        if (result->variants[v].throughput > best->throughput) {
            best = &result->variants[v];
        }
    }
    return best;
}

void print_columns(const struct measurement *measurement, bool histogram)
{
    printf("\naverage %" PRIu32 "%s, one-thread read %.1f GB/s\n", measurement->average,
           measurement->same_mean ? " as the mean got on this data" : "", measurement->bandwidth);
    printf("%-8s %9s %9s %14s %7s %13s %7s\n", "", "chunks", "mean", "variance", "forced%",
           "duplicate", "saved%");
    for (int r = 0; r < measurement->result_count; r++) {
        const struct result *result = &measurement->results[r];
        const struct statistics *statistics = &result->statistics;
        printf("%-8s %9" PRIu64 " %9.0f %14.4g %7.2f %13" PRIu64 " %7.2f\n", result->name,
               statistics->chunks, mean(statistics), variance(statistics),
               percent(statistics->forced, measurement), statistics->duplicate,
               percent(statistics->duplicate, measurement));
        if (histogram) {
            printf("         lengths:");
            for (int p = 0; p < POWERS; p++) {
                if (statistics->by_power[p] != 0) {
                    printf(" %" PRIu64 ":%" PRIu64, UINT64_C(1) << p, statistics->by_power[p]);
                }
            }
            putchar('\n');
        }
    }
    if (measurement->bandwidth <= 0) {
        return;
    }
    printf("%-8s %-9s %9s %9s %9s\n", "", "variant", "GB/s", "of read", "BSPS GB/s");
    for (int r = 0; r < measurement->result_count; r++) {
        const struct result *result = &measurement->results[r];
        for (int v = 0; v < result->variant_count; v++) {
            double rate = result->variants[v].throughput;
            printf("%-8s %-9s %9.2f %9.2f %9.2f\n", result->name, result->variants[v].name, rate,
                   rate / measurement->bandwidth, bsps(result, rate, measurement));
        }
    }
}

static void print_properties(const struct measurement *measurement)
{
    puts("| | chunks | mean | variance | forced % | duplicates | saved % | GB/s | of read | BSPS "
         "GB/s |\n|---|---|---|---|---|---|---|---|---|---|");
    for (int r = 0; r < measurement->result_count; r++) {
        const struct result *result = &measurement->results[r];
        const struct statistics *statistics = &result->statistics;
        printf("| %s | %" PRIu64 " | %.0f | %.2g | %.2f | %" PRIu64 " | %.2f |", result->name,
               statistics->chunks, mean(statistics), variance(statistics),
               percent(statistics->forced, measurement), statistics->duplicate,
               percent(statistics->duplicate, measurement));
        if (result->variant_count == 0) {
            puts(" – | – | – |");
        } else {
            double rate = fastest(result)->throughput;
            printf(" %.2f | %.2f | %.3f |\n", rate, rate / measurement->bandwidth,
                   bsps(result, rate, measurement));
        }
    }
}

/* The names of all variants, fastest instructions first; returns their number. */
static int variant_names(const struct measurement *measurement, const char **names)
{
    int count = 0;
    for (int r = 0; r < measurement->result_count; r++) {
        const struct result *result = &measurement->results[r];
        for (int v = 0; v + 1 < result->variant_count; v++) {
            int known = 0;
            while (known < count && strcmp(names[known], result->variants[v].name) != 0) {
                known++;
            }
            names[known] = result->variants[v].name;
            count = known == count ? count + 1 : count;
        }
    }
    names[count++] = "scalar";
    return count;
}

static void print_variant(const struct variant *variant, const struct measurement *measurement)
{
    if (variant == NULL) {
        printf(" – | – |");
    } else {
        printf(" %.2f | %.2f |", variant->throughput,
               variant->throughput / measurement->bandwidth);
    }
}

static const struct variant *find_variant(const struct result *result, const char *name)
{
    for (int v = 0; v < result->variant_count; v++) {
        if (strcmp(name, result->variants[v].name) == 0) {
            return &result->variants[v];
        }
    }
    return NULL;
}

static void print_variants(const struct measurement *measurement)
{
    const char *names[MAX_VARIANTS];
    int count = variant_names(measurement, names);
    printf("\n| GB/s |");
    for (int n = 0; n < count; n++) {
        printf(" %s | of read |", names[n]);
    }
    printf("\n|---|");
    for (int n = 0; n < count; n++) {
        printf("---|---|");
    }
    putchar('\n');
    for (int r = 0; r < measurement->result_count; r++) {
        const struct result *result = &measurement->results[r];
        printf("| %s |", result->name);
        for (int n = 0; n < count; n++) {
            print_variant(find_variant(result, names[n]), measurement);
        }
        putchar('\n');
    }
}

static void print_step(const struct measurement *measurement, uint32_t step)
{
    uint32_t width = measurement->average / STEPS_IN_AVERAGE;
    if (step + 1 < STEPS) {
        printf("[%" PRIu32 ", %" PRIu32 ")", step * width, (step + 1) * width);
    } else {
        printf("[%" PRIu32 ", ∞)", step * width);
    }
}

static void print_sizes(const struct measurement *measurement)
{
    printf("\n| chunks of bytes |");
    for (int r = 0; r < measurement->result_count; r++) {
        printf(" %s |", measurement->results[r].name);
    }
    printf("\n|---|");
    for (int r = 0; r < measurement->result_count; r++) {
        printf("---|");
    }
    putchar('\n');
    for (uint32_t s = 0; s < STEPS; s++) {
        printf("| ");
        print_step(measurement, s);
        for (int r = 0; r < measurement->result_count; r++) {
            printf(" | %" PRIu64, measurement->results[r].statistics.by_step[s]);
        }
        puts(" |");
    }
}

static void print_bar(double value, double largest)
{
    int length = largest > 0 ? (int)(BAR * value / largest + 0.5) : 0;
    for (int i = 0; i < length; i++) {
        putchar('#');
    }
}

/* The share of chunks by size. */
static void plot_sizes(const struct measurement *measurement, const struct result *result)
{
    const struct statistics *statistics = &result->statistics;
    uint64_t largest = 0;
    for (int s = 0; s < STEPS; s++) {
        largest = statistics->by_step[s] > largest ? statistics->by_step[s] : largest;
    }
    printf("%s, %% of the chunks from this many bytes on\n", result->name);
    for (uint32_t s = 0; s < STEPS; s++) {
        printf("%8" PRIu32 " %6.2f ", s * (measurement->average / STEPS_IN_AVERAGE),
               100 * (double)statistics->by_step[s] / (double)statistics->chunks);
        print_bar((double)statistics->by_step[s], (double)largest);
        putchar('\n');
    }
    putchar('\n');
}

static void plot_rate(const char *name, double rate, double largest)
{
    printf("%-8s %8.3f ", name, rate);
    print_bar(rate, largest);
    putchar('\n');
}

static void plot_throughput(const struct measurement *measurement)
{
    double largest = measurement->bandwidth;
    for (int r = 0; r < measurement->result_count; r++) {
        double rate = fastest(&measurement->results[r])->throughput;
        largest = rate > largest ? rate : largest;
    }
    puts("throughput of the fastest form, GB/s");
    plot_rate("read", measurement->bandwidth, largest);
    for (int r = 0; r < measurement->result_count; r++) {
        const struct result *result = &measurement->results[r];
        if (result->variant_count != 0) {
            plot_rate(result->name, fastest(result)->throughput, largest);
        }
    }
    putchar('\n');
}

static void plot_bsps(const struct measurement *measurement)
{
    double largest = 0;
    for (int r = 0; r < measurement->result_count; r++) {
        const struct result *result = &measurement->results[r];
        double rate = bsps(result, fastest(result)->throughput, measurement);
        largest = rate > largest ? rate : largest;
    }
    puts("BSPS of the fastest form, GB/s");
    for (int r = 0; r < measurement->result_count; r++) {
        const struct result *result = &measurement->results[r];
        if (result->variant_count != 0) {
            plot_rate(result->name, bsps(result, fastest(result)->throughput, measurement),
                      largest);
        }
    }
    putchar('\n');
}

void print_markdown(const struct measurement *measurement, bool plots)
{
    printf("\n### Average %" PRIu32 "%s", measurement->average,
           measurement->same_mean ? " as the mean on this data" : "");
    if (measurement->bandwidth > 0) {
        printf(", one-thread read %.1f GB/s", measurement->bandwidth);
    }
    printf("\n\n");
    print_properties(measurement);
    if (measurement->bandwidth > 0) {
        print_variants(measurement);
    }
    print_sizes(measurement);
    if (!plots) {
        return;
    }
    printf("\n```\n");
    if (measurement->bandwidth > 0) {
        plot_throughput(measurement);
        plot_bsps(measurement);
    }
    for (int r = 0; r < measurement->result_count; r++) {
        plot_sizes(measurement, &measurement->results[r]);
    }
    puts("```");
}
