"""Parquet files of other writers, with what their rows mean, and what DuckDB reads in ours.

    columns.py write FOLDER     files, and beside each the rows that it holds as JSON lines
    columns.py read FILE SQL    the rows of a query over a file as JSON lines; FILE stands in SQL as {}
"""

import datetime
import decimal
import json
import sys
import uuid

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq


def rows(folder, name, lines):
    with open(f"{folder}/{name}.jsonl", "w") as out:
        out.writelines(line + "\n" for line in lines)


def flat(folder):
    """Types without parts, each with a missing value."""
    moment = datetime.datetime(2024, 2, 29, 12, 30, 0, 123456)
    second = moment.replace(microsecond=0)
    table = pa.table(
        {
            "id": pa.array(["a", None, "ü"]),
            "whole": pa.array([1, -9223372036854775808, None], pa.int64()),
            "byte": pa.array([255, 0, None], pa.uint8()),
            "large": pa.array([18446744073709551615, 0, None], pa.uint64()),
            "single": pa.array([0.1, 4.0, None], pa.float32()),
            "double": pa.array([0.1, -2.5e-300, None], pa.float64()),
            "half": pa.array([1.5, -0.25, None], pa.float16()),
            "truth": pa.array([True, False, None]),
            "money": pa.array([decimal.Decimal("0.05"), decimal.Decimal("-123456.70"), None], pa.decimal128(9, 2)),
            "exact": pa.array(
                [decimal.Decimal("1234567890123456789012345678.0123456789"), decimal.Decimal("-1E-10"), None],
                pa.decimal128(38, 10),
            ),
            "wide": pa.array([decimal.Decimal("1" + "0" * 59 + "1"), decimal.Decimal(-1), None], pa.decimal256(70, 0)),
            "day": pa.array([moment.date(), datetime.date(1900, 1, 1), None]),
            "clock": pa.array([datetime.time(23, 59, 59, 5), datetime.time(0), None], pa.time64("us")),
            "utc": pa.array([moment, moment, None], pa.timestamp("us", "UTC")),
            "local": pa.array([second, second, None], pa.timestamp("ms")),
            "nano": pa.array([1, -1, None], pa.timestamp("ns", "UTC")),
            "bytes": pa.array([b"plain", b"", None], pa.binary()),
            "kind": pa.array(["x", "y", None]).dictionary_encode(),
            "nothing": pa.array([None, None, None], pa.null()),
        }
    )
    lines = [
        '{"id":"a","whole":1,"byte":255,"large":18446744073709551615,"single":0.1,"double":0.1,"half":1.5,"truth":true,'
        '"money":0.05,"exact":1234567890123456789012345678.0123456789,'
        '"wide":1000000000000000000000000000000000000000000000000000000000001,"day":"2024-02-29",'
        '"clock":"23:59:59.000005","utc":"2024-02-29T12:30:00.123456Z","local":"2024-02-29T12:30:00",'
        '"nano":"1970-01-01T00:00:00.000000001Z","bytes":"plain","kind":"x","nothing":null}',
        '{"id":null,"whole":-9223372036854775808,"byte":0,"large":0,"single":4,"double":-2.5e-300,"half":-0.25,'
        '"truth":false,"money":-123456.70,"exact":-0.0000000001,"wide":-1,"day":"1900-01-01","clock":"00:00:00",'
        '"utc":"2024-02-29T12:30:00.123456Z","local":"2024-02-29T12:30:00","nano":"1969-12-31T23:59:59.999999999Z",'
        '"bytes":"","kind":"y","nothing":null}',
        '{"id":"ü","whole":null,"byte":null,"large":null,"single":null,"double":null,"half":null,"truth":null,'
        '"money":null,"exact":null,"wide":null,"day":null,"clock":null,"utc":null,"local":null,"nano":null,'
        '"bytes":null,"kind":null,"nothing":null}',
    ]
    for codec in ["none", "snappy", "gzip", "lz4", "zstd"]:
        for version in ["1.0", "2.0"]:
            name = f"flat-{codec}-{version}"
            pq.write_table(table, f"{folder}/{name}.parquet", compression=codec, data_page_version=version)
            rows(folder, name, lines)
    # Decimals as whole numbers, no dictionaries, groups of one row.
    pq.write_table(
        table,
        f"{folder}/flat-plain.parquet",
        store_decimal_as_integer=True,
        use_dictionary=False,
        row_group_size=1,
    )
    rows(folder, "flat-plain", lines)
    pq.write_table(table, f"{folder}/brotli.parquet", compression="brotli")
    times = table.select(["id", "local"])
    pq.write_table(times, f"{folder}/int96.parquet", use_deprecated_int96_timestamps=True)
    lines = [f'{{"id":{id},"local":"2024-02-29T12:30:00"}}' for id in ['"a"', "null"]]
    rows(folder, "int96", [*lines, '{"id":"ü","local":null}'])


def nested(folder):
    """Lists, structs and maps, empty, missing and within one another; more rows than are decoded at a time."""
    candidate = pa.struct(
        [("id", pa.string()), ("answer", pa.string()), ("judgments", pa.struct([("good", pa.int32()), ("harmful", pa.bool_())]))]
    )
    values = {
        "id": ["0", "1", "2", "3"],
        "list": [[1, 2, 3], [], None, [None, 5]],
        "deep": [[[1], [], None, [2, 3]], None, [], [[]]],
        "candidates": [
            [
                {"id": "x", "answer": "A", "judgments": {"good": 4, "harmful": False}},
                {"id": "y", "answer": None, "judgments": None},
            ],
            [],
            None,
            [{"id": "z", "answer": "", "judgments": {"good": None, "harmful": True}}],
        ],
        "map": [[("k", [1, 2]), ("l", None)], [], None, [("m", [])]],
    }
    table = pa.table(
        {
            "id": pa.array(values["id"]),
            "list": pa.array(values["list"], pa.list_(pa.int16())),
            "deep": pa.array(values["deep"], pa.list_(pa.list_(pa.int64()))),
            "candidates": pa.array(values["candidates"], pa.list_(candidate)),
            "map": pa.array(values["map"], pa.map_(pa.string(), pa.list_(pa.int8()))),
        }
    )
    lines = []
    for n in range(4):
        row = {key: column[n] for key, column in values.items()}
        row["map"] = None if row["map"] is None else dict(row["map"])
        lines.append(json.dumps(row, ensure_ascii=False))
    many = pa.concat_tables([table] * 100)
    pq.write_table(many, f"{folder}/nested.parquet", row_group_size=150, data_page_size=256)
    rows(folder, "nested", lines * 100)
    # As older writers name the parts of lists.
    pq.write_table(many, f"{folder}/nested-old.parquet", use_compliant_nested_type=False)
    rows(folder, "nested-old", lines * 100)


def from_duckdb(folder):
    sql = """SELECT * FROM (VALUES
        ('a', 1.50::DECIMAL(18, 2), [1, 2], {'x': 1, 'y': 'b'}, MAP {'k': 1}, '{"t": [1]}'::JSON, DATE '2024-01-31',
         99999999999999999999999999999999999999::DECIMAL(38, 0), 'u'::ENUM ('u', 'v'), 3::UTINYINT,
         TIMESTAMPTZ '2024-01-31 12:00:00+00', UUID '12345678-1234-5678-1234-567812345678'),
        (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL))
        AS t(id, money, list, struct, map, json, day, large, enum, small, moment, uuid)"""
    lines = [
        '{"id":"a","money":1.50,"list":[1,2],"struct":{"x":1,"y":"b"},"map":{"k":1},"json":{"t":[1]},"day":"2024-01-31",'
        '"large":99999999999999999999999999999999999999,"enum":"u","small":3,"moment":"2024-01-31T12:00:00Z",'
        '"uuid":"12345678-1234-5678-1234-567812345678"}',
        '{"id":null,"money":null,"list":null,"struct":null,"map":null,"json":null,"day":null,"large":null,"enum":null,'
        '"small":null,"moment":null,"uuid":null}',
    ]
    for codec in ["uncompressed", "snappy", "gzip", "zstd", "lz4_raw"]:
        for version in ["V1", "V2"]:
            name = f"duckdb-{codec}-{version}"
            options = f"FORMAT parquet, COMPRESSION {codec}, PARQUET_VERSION {version}"
            duckdb.sql(f"COPY ({sql}) TO '{folder}/{name}.parquet' ({options})")
            rows(folder, name, lines)
    duckdb.sql(f"COPY (SELECT 'a' AS id, INTERVAL 1 DAY AS long) TO '{folder}/interval.parquet' (FORMAT parquet)")


def unreadable(folder):
    """Single cells without a JSON, in the second row of three."""
    pq.write_table(
        pa.table({"id": ["a", "b", "c"], "score": pa.array([1.0, float("nan"), 2.0])}), f"{folder}/nan.parquet"
    )
    pq.write_table(
        pa.table({"id": ["a", "b", "c"], "text": pa.array([b"x", b"\xff\xfe", b"y"])}), f"{folder}/bytes.parquet"
    )


def plain(value):
    """A value of DuckDB as JSON has it."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


if sys.argv[1] == "write":
    for write in [flat, nested, from_duckdb, unreadable]:
        write(sys.argv[2])
else:
    found = duckdb.sql(sys.argv[3].format(f"'{sys.argv[2]}'"))
    for row in found.fetchall():
        print(json.dumps(dict(zip(found.columns, plain(row)))))
