-- How long a reply had to wait because its platform asked for it: that does not make it too old.
alter table replies add column paced_ms integer not null default 0;

pragma user_version = 10;
