package dev.holdfast.ingress.api;

import dev.holdfast.bus.News;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.webhooks.MessageIntake;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.store.messages.Appended;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what was asked; messages go to the intake, and answers come from a map. */
public final class FakeApiCalls {
  public final List<ApiRequest> requests = new CopyOnWriteArrayList<>();
  final Map<String, Answers.Answer> answers = new ConcurrentHashMap<>();

  public Map<String, ApiCall> byOperation(MessageIntake intake, News news, ThreadAccess access) {
    Map<String, ApiCall> all = new HashMap<>();
    for (String operation :
        List.of(
            "getStatus",
            "listThreads",
            "getThread",
            "getThreadLog",
            "stopThread",
            "postAttachment",
            "getAttachment",
            "resetThread",
            "renameThread",
            "archiveThread",
            "exportThread",
            "deleteThread",
            "searchMessages",
            "rebuildSearch",
            "getEvent",
            "listDeadLetters",
            "getDeadLetter",
            "discardDeadLetter",
            "replayDeadLetter",
            "listConditions",
            "listBreakers",
            "tripBreaker",
            "resetBreaker",
            "getMode",
            "setMode",
            "promote",
            "listDrills",
            "startDrill",
            "getDrill",
            "stopDrill",
            "listChannels",
            "checkChannel",
            "listPlugins",
            "listSkills",
            "getSkill",
            "enablePlugin",
            "disablePlugin",
            "approvePlugin",
            "listIncidents",
            "getIncident",
            "resolveIncident",
            "getMemory",
            "listMemorySweeps",
            "startMemorySweep",
            "getMemorySweep",
            "listMemoryProposals",
            "approveMemoryProposal",
            "rejectMemoryProposal",
            "listMemoryVersions",
            "restoreMemory",
            "listPairings",
            "approvePairing",
            "revokePairing",
            "listAgents",
            "resetAgent",
            "createPlan",
            "listPlans",
            "getPlan",
            "cancelPlan",
            "getSupervision",
            "listTasks",
            "getTask",
            "cancelTask",
            "retryTask",
            "answerTask",
            "listExtensions",
            "getExtension",
            "getExtensionLog",
            "restartExtension",
            "approveExtension",
            "getUsage",
            "createLoginLink",
            "getConfig",
            "listApprovals",
            "listSchedules",
            "cancelSchedule",
            "approve",
            "deny",
            "listAudit",
            "verifyAudit",
            "getExecution",
            "rollBackExecution")) {
      all.put(
          operation,
          request -> {
            requests.add(request);
            if (request.id().equals("boom")) {
              throw new StackOverflowError("as deep as it goes");
            }
            return ApiAnswer.ok(new JsonObject().put("called", operation).put("id", request.id()));
          });
    }
    all.put(
        "postMessage",
        request -> {
          requests.add(request);
          Appended appended =
              intake.commit(
                  WebMessages.CHANNEL,
                  WebMessages.make(
                      request.threadId(),
                      "u",
                      request.body().getString("text"),
                      List.of(),
                      WebMessages.dedupeKey(request, request.threadId(), "")));
          return new ApiAnswer(202, new JsonObject().put("event_id", appended.event().id()));
        });
    all.put(
        "chat",
        new ChatCall(
            id -> Optional.ofNullable(answers.get(id)),
            new NewsEventOutcomes(news, answers::containsKey),
            access,
            intake,
            _ -> new JsonArray(),
            Duration.ofMillis(500)));
    return all;
  }
}
