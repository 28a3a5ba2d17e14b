package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class HostedLoggerTest {
  private final System.Logger log = new HostedLogger("demo");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void listen() {
    lines.start();
    logger().addAppender(lines);
  }

  @AfterEach
  void listenNoMore() {
    logger().detachAppender(lines);
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger("plugin.demo");
  }

  private List<String> logged() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void aTextWithoutValuesIsLoggedAsItIs() {
    log.log(System.Logger.Level.INFO, "it's {plain}");
    assertThat(logged()).containsExactly("it's {plain}");
  }

  @Test
  void aFormatIsFilledIn() {
    log.log(System.Logger.Level.INFO, "{0} of {1}", "one", "two");
    assertThat(logged()).containsExactly("one of two");
  }

  @Test
  void aFormatThatIsNoneIsLoggedAsItIs() {
    for (String format : List.of("{0} {x}", "{0", "{0,number}", "{}", "{99999999999}")) {
      log.log(System.Logger.Level.INFO, format, "value");
      assertThat(logged().getLast()).isEqualTo(format);
    }
  }
}
