# SPDX-License-Identifier: Apache-2.0
"""Spark jobs on files in HDFS: jobs.py words|parquet|sql FILE-SYSTEM INPUT"""

import sys

from pyspark.sql import SparkSession, functions

job, filesystem, source = sys.argv[1:4]
spark = (
    SparkSession.builder.master("local[2]")
    .appName(job)
    .config("spark.ui.enabled", "false")
    .config("spark.driver.memory", "1g")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)
WORDS = filesystem + "/spark/words"
PARQUET = filesystem + "/spark/parquet"


def counts():
    """The words that the first job counted, as rows."""
    lines = spark.read.text(WORDS)
    parts = functions.split(lines.value, "\t")
    return lines.select(parts[0].alias("word"), parts[1].cast("long").alias("count"))


def save(rows, name):
    """Rows in order as one file of text."""
    text = rows.select(functions.concat_ws("\t", *rows.columns).alias("value"))
    text.coalesce(1).rdd.map(lambda row: row.value).saveAsTextFile(filesystem + "/spark/" + name)


if job == "words":
    (
        spark.sparkContext.textFile(filesystem + source + "/*")
        .flatMap(lambda line: line.split())
        .filter(lambda word: "\t" not in word)
        .map(lambda word: (word, 1))
        .reduceByKey(lambda a, b: a + b, 2)
        .sortByKey(numPartitions=2)
        .map(lambda pair: "%s\t%d" % pair)
        .saveAsTextFile(WORDS)
    )
elif job == "parquet":
    written = counts()
    written.write.parquet(PARQUET)
    read = spark.read.parquet(PARQUET)
    if read.count() != written.count():
        sys.exit("Parquet gave %d rows of %d" % (read.count(), written.count()))
    save(read.orderBy("word", "count"), "rows")
elif job == "sql":
    spark.read.parquet(PARQUET).createOrReplaceTempView("words")
    save(
        spark.sql(
            "SELECT length(word) AS letters, count(*) AS words, sum(count) AS times, max(word)"
            " FROM words GROUP BY length(word) ORDER BY letters"
        ),
        "sql",
    )
else:
    sys.exit(__doc__)
spark.stop()
