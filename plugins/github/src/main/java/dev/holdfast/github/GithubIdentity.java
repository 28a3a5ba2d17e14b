package dev.holdfast.github;

/**
 * Which user the token belongs to.
 *
 * @param id never changes, unlike the name
 * @param login the name that people mention
 */
record GithubIdentity(long id, String login) {}
