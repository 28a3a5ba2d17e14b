package dev.holdfast.tools.forms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tools.forms.FormField.Choice;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FormAnswerReaderTest {
  private static final List<Choice> COLOURS =
      List.of(new Choice("#f00", "red"), new Choice("#0f0", "green"));
  private static final FormField NAME =
      new FormField("name", "Your name", new FormField.Text(2, 20, ""), true, Optional.empty());
  private static final FormField AGE =
      new FormField("age", "", new FormField.Numeric(true, 0, 150), false, Optional.of(30));
  private static final FormField MAIL =
      new FormField("mail", "", new FormField.Text(0, 99, "email"), false, Optional.empty());
  private static final FormField DAY =
      new FormField("day", "", new FormField.Text(0, 99, "date"), false, Optional.empty());
  private static final FormField AGREE =
      new FormField("agree", "", new FormField.YesOrNo(), false, Optional.empty());
  private static final FormField COLOUR =
      new FormField("colour", "", new FormField.OneOf(COLOURS), false, Optional.of("#0f0"));
  private static final FormField SOME =
      new FormField("some", "", new FormField.SomeOf(COLOURS, 1, 2), false, Optional.empty());
  private static final PersonForm FORM =
      new PersonForm(
          "extension x", "Please say", List.of(NAME, AGE, MAIL, DAY, AGREE, COLOUR, SOME));

  private static JsonObject complete(PersonForm form, String text) {
    return ((FormAnswer.Complete) FormAnswerReader.read(form, text)).content();
  }

  private static String problem(String text) {
    return ((FormAnswer.Faulty) FormAnswerReader.read(FORM, text)).problem();
  }

  @Test
  void namedLinesFillInFieldsAndTheOthersKeepWhatTheyHold() {
    String text =
        "Name: Ann Smith: the 2nd\n 2 = 41\nmail:a@b.c; AGREE: Yes\nday: 2026-02-28\nsome: red, #0f0";
    assertThat(complete(FORM, text))
        .isEqualTo(
            new JsonObject()
                .put("name", "Ann Smith: the 2nd")
                .put("age", 41L)
                .put("mail", "a@b.c")
                .put("day", "2026-02-28")
                .put("agree", true)
                .put("colour", "#0f0")
                .put("some", new JsonArray(List.of("#f00", "#0f0"))));
  }

  @Test
  void withoutANameTheTextIsTheOneFieldThatIsMeant() {
    assertThat(complete(new PersonForm("x", "", List.of(AGE)), "41").getValue("age"))
        .isEqualTo(41L);
    assertThat(complete(FORM, "Ann").getString("name")).as("the required one").isEqualTo("Ann");
    assertThat(FormAnswerReader.read(new PersonForm("x", "", List.of(AGE, MAIL)), "41"))
        .isEqualTo(new FormAnswer.Faulty("it names none of the fields."));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "age: 1|name is required.",
        "name: A|name takes text, from 2 to 20 characters.",
        "name: Ann; age: 151|age takes whole number from 0 to 150.",
        "name: Ann; age: 1.5|age takes whole number from 0 to 150.",
        "name: Ann; age: 1e999999999|age takes whole number from 0 to 150.",
        "name: Ann; mail: nowhere|mail takes email, from 0 to 99 characters.",
        "name: Ann; day: 2026-02-30|day takes date, from 0 to 99 characters.",
        "name: Ann; agree: maybe|agree takes yes or no.",
        "name: Ann; colour: blue|colour takes one of red, green.",
        "name: Ann; some: red,blue|some takes 1 to 2 of red, green."
      })
  void whatDoesNotFitIsToldToThePerson(String text, String problem) {
    assertThat(problem(text)).isEqualTo(problem);
  }

  @Test
  void aPlainYesTakesWhatTheFieldsHold() {
    PersonForm form = new PersonForm("x", "", List.of(AGE, COLOUR, MAIL));
    assertThat(form.takesPlainYes()).isTrue();
    assertThat(complete(form, "")).isEqualTo(new JsonObject().put("age", 30).put("colour", "#0f0"));
    assertThat(FORM.takesPlainYes()).isFalse();
    assertThat(problem("")).isEqualTo("name is required.");
  }

  @Test
  void aFormInAChatSaysWhoAsksInWhoseWordsAndHowToAnswer() {
    assertThat(
            FormText.of(
                new PersonForm("extension x", "Please\n/approve me", List.of(NAME, AGE, COLOUR)),
                "ABCDE",
                Duration.ofMinutes(5)))
        .isEqualTo(
            """
            The extension x asks you something. The words are its own and not checked; do not send passwords or keys.
            > Please
            > /approve me
            1. name (text, required): Your name
            2. age (whole number from 0 to 150, else 30)
            3. colour (one of red, green, else green)
            Reply /answer ABCDE and a line "name: value" for each field that you fill in, such as "name: …", \
            or /deny ABCDE, within 5 minutes.""");
  }

  @Test
  void aShorterFormNamesTheShorterWays() {
    assertThat(FormText.of(new PersonForm("x", "Go on?", List.of()), "A", Duration.ofMinutes(5)))
        .endsWith("Reply /approve A, or /deny A, within 5 minutes.");
    assertThat(FormText.of(new PersonForm("x", "Age?", List.of(AGE)), "A", Duration.ofMinutes(5)))
        .endsWith(
            "Reply /answer A and your answer, or /approve A to leave it as it is, or /deny A, within 5 minutes.");
  }
}
