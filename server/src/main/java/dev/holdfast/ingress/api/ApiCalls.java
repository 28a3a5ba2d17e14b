package dev.holdfast.ingress.api;

import dev.holdfast.access.PairingFlow;
import dev.holdfast.agents.dispatch.Orchestrator;
import dev.holdfast.bus.DiskQueue;
import dev.holdfast.bus.News;
import dev.holdfast.config.Secrets;
import dev.holdfast.conversations.ConversationService;
import dev.holdfast.drills.Drills;
import dev.holdfast.extensions.Extensions;
import dev.holdfast.incidents.Incidents;
import dev.holdfast.ingress.login.Sessions;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.stream.EventStreams;
import dev.holdfast.ingress.webhooks.MessageIntake;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.memory.MemorySweeps;
import dev.holdfast.modes.ModeInputs;
import dev.holdfast.modes.Modes;
import dev.holdfast.plugins.PluginHost;
import dev.holdfast.resilience.Guards;
import dev.holdfast.store.Store;
import dev.holdfast.supervision.RecentResults;
import dev.holdfast.supervision.SupervisionNode;
import dev.holdfast.tasks.run.Plans;
import dev.holdfast.tasks.run.TaskRunner;
import dev.holdfast.time.Time;
import dev.holdfast.tools.skills.Skills;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Gathers the operations of the API, subject by subject. */
public final class ApiCalls {
  private final Store store;
  private final Orchestrator orchestrator;
  private final News news;
  private final ThreadAccess access;
  private final Secrets secrets;
  private final Time time;
  private final ApprovalCalls approvals;
  private final Map<String, ApiCall> calls = new HashMap<>();

  public ApiCalls(
      Store store,
      Orchestrator orchestrator,
      ThreadAccess access,
      News news,
      Secrets secrets,
      Time time) {
    this.store = store;
    this.orchestrator = orchestrator;
    this.news = news;
    this.access = access;
    this.secrets = secrets;
    this.time = time;
    calls.putAll(new EventCalls(store, access, secrets).calls());
    calls.putAll(new ScheduleCalls(store.schedules()).calls());
    ApprovalDecisions decisions = ApprovalDecisions.of(store.approvals(), orchestrator);
    approvals = new ApprovalCalls(store, decisions, access, time);
    calls.putAll(approvals.calls());
  }

  /** {@code choice}: the levels that people may choose for a message. */
  public ApiCalls threads(
      MessageIntake intake,
      EventStreams streams,
      AttachmentsConfig attachments,
      ConversationService conversations,
      List<String> choice) {
    ThreadControl threads = ThreadControl.of(orchestrator);
    calls.putAll(
        new ThreadCalls(store, threads, access, intake, streams, attachments, choice).calls());
    calls.putAll(new ConversationCalls(store, conversations, access).calls());
    return this;
  }

  public ApiCalls chat(MessageIntake intake, Duration answerWait) {
    Answers answers = new StoredAnswers(store);
    EventOutcomes outcomes =
        new NewsEventOutcomes(news, eventId -> answers.find(eventId).isPresent());
    calls.put(
        "chat", new ChatCall(answers, outcomes, access, intake, approvals::waiting, answerWait));
    return this;
  }

  /** {@code replayed}: wakes whoever runs events or posts replies. */
  public ApiCalls deadLetters(Plans plans, DiskQueue bus, Runnable replayed) {
    calls.putAll(new DeadLetterCalls(store, plans, bus, access, time, replayed).calls());
    return this;
  }

  public ApiCalls executions(ExecutionCalls executions) {
    calls.putAll(new AuditCalls(store.audit(), executions, access, news).calls());
    return this;
  }

  public ApiCalls breakers(Guards guards) {
    calls.putAll(new BreakerCalls(guards, store.audit()).calls());
    return this;
  }

  /** {@code looks}: how the parts of the server are now. */
  public ApiCalls modes(Modes modes, ModeInputs looks) {
    calls.putAll(new ModeCalls(modes, looks, secrets).calls());
    return this;
  }

  public ApiCalls promotion(Promotion promotion) {
    calls.putAll(new PromotionCalls(promotion, store.audit()).calls());
    return this;
  }

  public ApiCalls drills(Drills drills) {
    calls.putAll(new DrillCalls(drills, store.audit()).calls());
    return this;
  }

  public ApiCalls supervision(Supplier<SupervisionNode> tree) {
    calls.putAll(new SupervisionCalls(tree).calls());
    return this;
  }

  public ApiCalls plugins(PluginHost host) {
    calls.putAll(new PluginHostCalls(host, store.audit()).calls());
    return this;
  }

  public ApiCalls pairings(PairingFlow flow) {
    calls.putAll(new PairingCalls(flow).calls());
    return this;
  }

  public ApiCalls incidents(Incidents incidents) {
    calls.putAll(new IncidentCalls(incidents).calls());
    return this;
  }

  public ApiCalls memory(MemorySweeps sweeps) {
    calls.putAll(new MemoryCalls(sweeps).calls());
    return this;
  }

  public ApiCalls channels(ChannelParts parts, Guards guards, PluginHost plugins) {
    calls.putAll(new ChannelCalls(parts, guards, store.outbox(), plugins, time).calls());
    return this;
  }

  public ApiCalls extensions(Extensions extensions) {
    calls.putAll(new ExtensionRequests(extensions, store.audit()).calls());
    return this;
  }

  public ApiCalls skills(Skills skills) {
    calls.putAll(new SkillCalls(skills).calls());
    return this;
  }

  public ApiCalls plans(Plans plans, TaskRunner runner, RecentResults results) {
    calls.putAll(new AgentCalls(plans, runner, results).calls());
    calls.putAll(new PlanCalls(plans, access, store.audit(), time).calls());
    calls.putAll(new TaskCalls(plans, access, time).calls());
    return this;
  }

  /** {@code budget}: the limits that are in force; days and months are those of {@code zone}. */
  public ApiCalls usage(JsonObject budget, ZoneId zone) {
    calls.putAll(new UsageCalls(store.usage(), budget, zone, time).calls());
    return this;
  }

  public ApiCalls status(Probes probes, ServerFacts facts) {
    ThreadControl threads = ThreadControl.of(orchestrator);
    calls.putAll(new StatusCalls(store, threads, probes, facts).calls());
    return this;
  }

  /** {@code chatUrl}: the page's address, for links that log in once. */
  public ApiCalls loginLinks(Sessions sessions, Supplier<String> chatUrl) {
    calls.putAll(new LoginLinkCalls(sessions, chatUrl, store.audit(), time).calls());
    return this;
  }

  /** By the contract's names. */
  public Map<String, ApiCall> byOperation() {
    return Map.copyOf(calls);
  }
}
