package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tools.forms.FormField;
import dev.holdfast.tools.forms.FormField.Choice;
import dev.holdfast.tools.forms.PersonForm;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ElicitedFormTest {
  private static ElicitedForm read(String fields) {
    String json =
        "{'message':'Hello','requestedSchema':{'type':'object','properties':{%s},'required':['a']}}"
            .formatted(fields)
            .replace('\'', '"');
    return ElicitedForm.read("extension x", new JsonObject(json));
  }

  private static PersonForm form(String fields) {
    return ((ElicitedForm.Askable) read(fields)).form();
  }

  private static String refused(String fields) {
    return ((ElicitedForm.Refused) read(fields)).reason();
  }

  @Test
  void eachKindOfFieldIsRead() {
    List<FormField> fields =
        form("""
            'a':{'type':'string','title':'A','description':'words','minLength':2,'maxLength':9},
            'b':{'type':'string','format':'email','default':'x@y'},
            'c':{'type':'integer','minimum':1,'maximum':5,'default':3},
            'd':{'type':'number'},
            'e':{'type':'boolean','default':false},
            'f':{'type':'string','enum':['r','g'],'enumNames':['red','green'],'default':'g'},
            'g':{'type':'string','oneOf':[{'const':'r','title':'red'}],'default':'gone'},
            'h':{'type':'array','minItems':1,'maxItems':9,'items':{'enum':['r','g']},'default':['r']}
            """)
            .fields();
    List<Choice> named = List.of(new Choice("r", "red"), new Choice("g", "green"));
    List<Choice> plain = List.of(new Choice("r", "r"), new Choice("g", "g"));
    double least = Double.NEGATIVE_INFINITY;
    double most = Double.POSITIVE_INFINITY;
    assertThat(fields)
        .containsExactly(
            new FormField("a", "A: words", new FormField.Text(2, 9, ""), true, Optional.empty()),
            new FormField("b", "", new FormField.Text(0, 1500, "email"), false, Optional.of("x@y")),
            new FormField("c", "", new FormField.Numeric(true, 1, 5), false, Optional.of(3)),
            new FormField(
                "d", "", new FormField.Numeric(false, least, most), false, Optional.empty()),
            new FormField("e", "", new FormField.YesOrNo(), false, Optional.of(false)),
            new FormField("f", "", new FormField.OneOf(named), false, Optional.of("g")),
            new FormField(
                "g", "", new FormField.OneOf(named.subList(0, 1)), false, Optional.empty()),
            new FormField(
                "h",
                "",
                new FormField.SomeOf(plain, 1, 2),
                false,
                Optional.of(new JsonArray(List.of("r")))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'password':{'type':'string'}",
        "'userPassword':{'type':'string'}",
        "'api_key':{'type':'string'}",
        "'GITHUB_TOKEN':{'type':'string'}",
        "'a':{'type':'string','title':'Your PIN'}",
        "'a':{'type':'string','description':'the pass- or password of your account'}",
        "'a':{'type':'string','format':'password'}",
        "'a':{'type':'string','description':'What are your PINs'}",
        "'a':{'type':'string','description':'your APIKEY'}",
        "'a':{'type':'string','description':'the api_key'}",
        "'a':{'type':'string','title':'credit-card no.'}",
        "'a':{'type':'string','title':'What is your pass-word?'}",
        "'a':{'type':'string','title':'Passwort'}",
        "'a':{'type':'string','title':'\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44'}",
        "'seedPhrase':{'type':'string'}",
        "'2FA':{'type':'string'}",
        "'a':{'type':'string','description':'Never share it. Your pin:'}"
      })
  void secretsAreNotAskedFor(String field) {
    assertThat(refused(field)).isEqualTo("secrets are not asked for in a chat");
  }

  @Test
  void aMessageThatAsksForASecretIsRefusedToo() {
    for (String message : List.of("Type your password:", "What is your PIN?", "Credentials?")) {
      assertThat(ElicitedForm.read("x", new JsonObject().put("message", message)))
          .isInstanceOf(ElicitedForm.Refused.class);
    }
  }

  /** The reference server says so. */
  @Test
  void aWarningNotToSendASecretIsNoQuestionForIt() {
    assertThat(form("'a':{'type':'integer','description':'(do not give us your pin)'}").fields())
        .hasSize(1);
  }

  @Test
  void whatIsTooMuchForAChatIsRefused() {
    StringBuilder many = new StringBuilder("'a':{'type':'string'}");
    for (int i = 0; i < 16; i++) {
      many.append(",'f").append(i).append("':{'type':'string'}");
    }
    assertThat(refused(many.toString())).contains("more than 16 fields");
    String choices = "'x',".repeat(31) + "'x'";
    assertThat(refused("'a':{'type':'string','enum':[" + choices + "]}")).contains("30 choices");
    assertThat(refused("'a':{'type':'object'}")).contains("no form for");
    assertThat(refused("'a':{'type':'array','items':{'type':'string'}}")).contains("no form for");
    assertThat(refused("'a\\nb':{'type':'string'}")).contains("a name");
    assertThat(refused("'a':7")).contains("not described");
  }

  @Test
  void longTextsAreCutAndUnseenSignsLeftOut() {
    JsonObject field =
        new JsonObject().put("type", "string").put("description", "b\u202e\nc" + "y".repeat(500));
    JsonObject asked =
        new JsonObject()
            .put("message", "x".repeat(5000))
            .put(
                "requestedSchema",
                new JsonObject().put("properties", new JsonObject().put("a", field)));
    PersonForm form = ((ElicitedForm.Askable) ElicitedForm.read("x", asked)).form();
    assertThat(form.message()).hasSize(1001).endsWith("…");
    assertThat(form.fields().getFirst().description()).startsWith("b cyy").hasSize(201);
  }

  @Test
  void aFormWithoutFieldsAsksForAYes() {
    PersonForm form =
        ((ElicitedForm.Askable) ElicitedForm.read("x", new JsonObject().put("message", "Go on?")))
            .form();
    assertThat(form.fields()).isEmpty();
    assertThat(form.takesPlainYes()).isTrue();
  }
}
