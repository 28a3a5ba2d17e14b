package dev.holdfast.github;

import dev.holdfast.kit.JsonText;
import java.util.Map;
import java.util.Optional;

/**
 * A repository as GitHub states it.
 *
 * @param id stays when it is renamed
 * @param fullName {@code owner/name}
 * @param ownerId of the user or organization it belongs to
 */
record GithubRepository(long id, String fullName, long ownerId) {
  /** Empty when it has no id, or a name that none can have. */
  static Optional<GithubRepository> of(Map<String, Object> repository) {
    long id = JsonText.whole(repository, "id", 0);
    long owner = JsonText.whole(JsonText.map(repository, "owner"), "id", 0);
    String name = JsonText.text(repository, "full_name");
    return id > 0 && owner > 0 && RepositoryList.isName(name)
        ? Optional.of(new GithubRepository(id, name, owner))
        : Optional.empty();
  }
}
