-- The buttons under a question: hashes of their tokens, and whether they still stand under its post
-- (0: it has none, 1: they do, 2: they were taken away).
alter table approvals add column approve_hash text not null default '';
alter table approvals add column deny_hash text not null default '';
alter table approvals add column card integer not null default 0;
create unique index approvals_approve on approvals (approve_hash) where approve_hash <> '';
create unique index approvals_deny on approvals (deny_hash) where deny_hash <> '';
create index approvals_card on approvals (expires_at) where card = 1;

-- The buttons that go with a part of a reply until it is sent: a JSON list, empty for none.
alter table replies add column choices text not null default '';

pragma user_version = 12;
