-- The files that go with a part of a reply: a JSON list of references, empty for none.
alter table replies add column files text not null default '';

pragma user_version = 5;
