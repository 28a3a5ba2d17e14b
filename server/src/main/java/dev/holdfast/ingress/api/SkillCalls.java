package dev.holdfast.ingress.api;

import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.tools.skills.SkillFacts;
import dev.holdfast.tools.skills.Skills;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;

/** What is asked of the skills. */
final class SkillCalls {
  private final Skills skills;

  SkillCalls(Skills skills) {
    this.skills = skills;
  }

  Map<String, ApiCall> calls() {
    return Map.of("listSkills", _ -> list(), "getSkill", this::one);
  }

  private ApiAnswer list() {
    JsonArray folders = new JsonArray();
    skills
        .places()
        .forEach(
            place ->
                folders.add(
                    new JsonObject()
                        .put("folder", place.folder().toString())
                        .put("problem", place.problem())));
    JsonArray all = new JsonArray();
    skills.all().forEach(skill -> all.add(new JsonObject(SkillFacts.brief(skill))));
    return ApiAnswer.ok(new JsonObject().put("folders", folders).put("skills", all));
  }

  private ApiAnswer one(ApiRequest request) throws RefusedRequestException {
    return skills.all().stream()
        .filter(skill -> skill.name().equals(request.id()))
        .findFirst()
        .map(skill -> ApiAnswer.ok(new JsonObject(SkillFacts.whole(skill))))
        .orElseThrow(() -> RefusedRequestException.unknown("no such skill"));
  }
}
