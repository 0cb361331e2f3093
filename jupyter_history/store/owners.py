"""Many users in one PostgreSQL database: every row has an owner, the role that wrote it, and nobody else sees it.

The tables are those of `schema` with one more column. Queries do not name it: the server fills it in and, by row-level
security, hides what is another's. Names and ids are unique for one owner, and a reference stays within one owner, so
nobody can take another's name, nor point at another's turn to learn whether it is there.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import (
    DDL,
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    event,
    text,
)
from sqlalchemy.schema import ExecutableDDLElement, SchemaItem

from . import schema

_OWNER = "owner"


def tables() -> MetaData:
    """The tables of `schema`, each row with its owner. The one that holds the version is everybody's."""
    owned = MetaData()
    for table in schema.metadata.tables.values():
        if table is schema.store:
            table.to_metadata(owned)
        else:
            _guard(Table(table.name, owned, *_columns(table), *_constraints(table), *_indexes(table)))
    for name in schema.IMMUTABLE:
        schema.forbid_updates(owned.tables[name])
    return owned


def _columns(table: Table) -> Iterator[SchemaItem]:
    for column in table.columns:
        yield Column(column.name, column.type, nullable=column.nullable, autoincrement=column.autoincrement)
    yield Column(_OWNER, Text, nullable=False, server_default=text("current_user"))


def _constraints(table: Table) -> Iterator[SchemaItem]:
    for constraint in table.constraints:
        match constraint:
            case PrimaryKeyConstraint() if _numbered(table):
                yield PrimaryKeyConstraint(*constraint.columns.keys())
            case PrimaryKeyConstraint():
                yield PrimaryKeyConstraint(_OWNER, *constraint.columns.keys())
            case UniqueConstraint():
                yield UniqueConstraint(_OWNER, *constraint.columns.keys())
            case CheckConstraint():
                yield CheckConstraint(constraint.sqltext, name=constraint.name)
            case ForeignKeyConstraint():
                yield _reference(constraint)


def _reference(constraint: ForeignKeyConstraint) -> ForeignKeyConstraint:
    """A reference by id is to one's own row. By number it needs no owner: a row that is hidden is never joined."""
    home = constraint.referred_table
    (column,), (element,) = constraint.column_keys, constraint.elements
    target = element.column.name
    name = f"{constraint.table.name}_{column}"
    if _numbered(home) and target in home.primary_key:
        return ForeignKeyConstraint([column], [f"{home.name}.{target}"], name=name, use_alter=constraint.use_alter)
    return ForeignKeyConstraint(
        [_OWNER, column],
        [f"{home.name}.{_OWNER}", f"{home.name}.{target}"],
        name=name,
        use_alter=constraint.use_alter,
    )


def _indexes(table: Table) -> Iterator[SchemaItem]:
    for index in table.indexes:
        yield Index(index.name, _OWNER, *(column.name for column in index.columns))


def _numbered(table: Table) -> bool:
    """Whether its primary key is a number, which the server draws from one sequence for all owners."""
    return not any(isinstance(column.type, Text | schema.Bytes) for column in table.primary_key)


def _guard(table: Table) -> None:
    """Row-level security, for the tables' own owner too."""
    mine = f"{_OWNER} = current_user"
    for statement in (
        f"ALTER TABLE {table.name} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table.name} FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY {table.name}_is_its_owners ON {table.name} USING ({mine}) WITH CHECK ({mine})",
    ):
        ddl: ExecutableDDLElement = DDL(statement)  # type: ignore[no-untyped-call]
        event.listen(table, "after_create", ddl)
