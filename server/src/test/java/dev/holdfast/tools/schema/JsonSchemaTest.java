package dev.holdfast.tools.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.vertx.core.json.JsonObject;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class JsonSchemaTest {
  private static JsonSchema read(String schema) throws SchemaRefusedException {
    return JsonSchema.read(new JsonObject(schema.replace('\'', '"')));
  }

  /** Of the member {@code v}. */
  private static List<String> problems(String schema, String value) throws SchemaRefusedException {
    String object = "{\"v\":" + value.replace('\'', '"') + "}";
    return read("{'properties':{'v':" + schema + "}}")
        .problems(new JsonObject(object), object.length());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "true | 1 | true",
        "false | 1 | false",
        "{'type':'integer'} | 1.0 | true",
        "{'type':'integer'} | 1.5 | false",
        "{'type':['string','null']} | null | true",
        "{'type':'number'} | '1' | false",
        "{'const':{'a':[1,null]}} | {'a':[1.0,null]} | true",
        "{'enum':['a',1,true]} | 1.0 | true",
        "{'enum':['a',1,true]} | '1' | false",
        "{'minimum':1,'exclusiveMaximum':2} | 1 | true",
        "{'minimum':1,'exclusiveMaximum':2} | 2 | false",
        "{'maximum':1,'exclusiveMaximum':true} | 1 | false",
        "{'maximum':1,'exclusiveMaximum':false} | 1 | true",
        "{'minimum':1,'exclusiveMinimum':true} | 1 | false",
        "{'minimum':1,'exclusiveMinimum':true} | 1.5 | true",
        "{'pattern':'^\\\\s$'} | '\\u00a0' | true",
        "{'pattern':'^\\\\s$'} | '\\ufeff' | true",
        "{'pattern':'^\\\\s$'} | '\\u2028' | true",
        "{'pattern':'^\\\\s$'} | '\\u000b' | true",
        "{'pattern':'^\\\\s$'} | '\\u200b' | false",
        "{'pattern':'^[x\\\\s]$'} | '\\u00a0' | true",
        "{'pattern':'^\\\\S$'} | '\\u00a0' | false",
        "{'pattern':'^[\\\\s\\\\S]$'} | '😀' | true",
        "{'pattern':'^[^\\\\S]$'} | ' ' | true",
        "{'pattern':'^[[:alpha:]]$'} | 'b' | false",
        "{'pattern':'^[[:alpha:]]$'} | 'h]' | true",
        "{'pattern':'^[a[]$'} | '[' | true",
        "{'pattern':'^[]a]$'} | ']' | true",
        "{'pattern':'^[^]a]$'} | ']' | false",
        "{'pattern':'^[\\\\]a]$'} | ']' | true",
        "{'multipleOf':0.01} | 4.35 | true",
        "{'multipleOf':0.01} | 4.355 | false",
        "{'maximum':5} | 1e999 | false",
        "{'minLength':2,'maxLength':2} | 'ab' | true",
        "{'minLength':2} | '😀' | false",
        "{'pattern':'^a+$'} | 'aaa' | true",
        "{'pattern':'^a+$'} | 'aab' | false",
        "{'pattern':'^(?!x)'} | 'x' | true",
        "{'required':['a']} | {} | false",
        "{'required':true} | {} | true",
        "{'minProperties':1,'maxProperties':1} | {'a':1,'b':2} | false",
        "{'properties':{'a':{'type':'string'}}} | {'a':1} | false",
        "{'additionalProperties':false,'properties':{'a':true}} | {'a':1} | true",
        "{'additionalProperties':false,'properties':{'a':true}} | {'b':1} | false",
        "{'additionalProperties':false,'patternProperties':{'^x':true}} | {'xy':1} | true",
        "{'additionalProperties':false,'patternProperties':{'^(?!x)':true}} | {'x':1} | true",
        "{'patternProperties':{'^x':{'type':'null'}}} | {'xy':1} | false",
        "{'propertyNames':{'maxLength':2}} | {'abc':1} | false",
        "{'dependentRequired':{'a':['b']}} | {'a':1} | false",
        "{'dependencies':{'a':['b'],'b':{'required':['c']}}} | {'a':1,'b':1} | false",
        "{'dependentSchemas':{'a':{'required':['b']}}} | {'a':1,'b':1} | true",
        "{'items':{'type':'string'}} | ['a',1] | false",
        "{'prefixItems':[{'type':'string'}],'items':false} | ['a'] | true",
        "{'items':[{'type':'string'}],'additionalItems':false} | ['a',1] | false",
        "{'minItems':1,'maxItems':1} | [] | false",
        "{'uniqueItems':true} | [1,[1],{'a':1},'1'] | true",
        "{'uniqueItems':true} | [{'a':1,'b':2},{'b':2,'a':1.0}] | false",
        "{'contains':{'type':'null'}} | [1,null] | true",
        "{'contains':{'type':'null'},'minContains':2} | [1,null] | false",
        "{'contains':{'type':'null'},'minContains':0} | [1] | true",
        "{'contains':{'type':'null'},'maxContains':1} | [null,null] | false",
        "{'allOf':[{'minimum':1},{'maximum':2}]} | 3 | false",
        "{'anyOf':[{'type':'string'},{'minimum':5}]} | 6 | true",
        "{'anyOf':[{'type':'string'},{'minimum':5}]} | 4 | false",
        "{'oneOf':[{'type':'number'},{'minimum':5}]} | 6 | false",
        "{'oneOf':[{'type':'number'},{'minimum':5}]} | 4 | true",
        "{'not':{'type':'null'}} | null | false",
        "{'if':{'type':'string'},'then':{'minLength':2},'else':{'minimum':2}} | 'a' | false",
        "{'if':{'type':'string'},'then':{'minLength':2},'else':{'minimum':2}} | 3 | true",
        "{'anyOf':[{'properties':{'a':true}}],'unevaluatedProperties':false} | {'a':1} | true",
        "{'anyOf':[{'properties':{'a':true}}],'unevaluatedProperties':false} | {'b':1} | false",
        "{'prefixItems':[true],'unevaluatedItems':false} | [1,2] | false",
        "{'$ref':'#/properties/v/$defs/a~1%20b','$defs':{'a/ b':{'type':'null'}}} | 1 | false",
        "{'$ref':'#here','$defs':{'x':{'$anchor':'here','type':'null'}}} | null | true",
        "{'$id':'urn:x','$ref':'#/$defs/x','$defs':{'x':{'type':'null'}}} | 1 | false",
        "{'$id':'urn:x','$ref':'urn:x#/$defs/x','$defs':{'x':{'type':'null'}}} | 1 | false",
        "{'$id':'http://x/a','$ref':'b','$defs':{'x':{'$id':'b','type':'null'}}} | 1 | false",
        "{'$ref':'b#c','$defs':{'x':{'$id':'b','not':{'$anchor':'c','type':'null'}}}} | 1 | false",
        "{'$ref':'#c','enum':[{'$anchor':'c'}],'$defs':{'x':{'$anchor':'c'}}} | 1 | false",
        "{'$ref':'#c','const':{'$id':'b','$anchor':'c'},'$defs':{'x':{'$anchor':'c'}}} | 1 | false",
        "{'$ref':'#c','$defs':{'x':{'$id':'#c','type':'null'}}} | null | true",
        "{'properties':{'enum':{'$anchor':'c','type':'null'},'b':{'$ref':'#c'}}} | {'b':1} | false",
        "{'format':'email','title':'free'} | 'no address' | true",
      })
  void aValueFitsOrDoesNot(String schema, String value, boolean fits) throws Exception {
    assertThat(problems(schema, value).isEmpty()).isEqualTo(fits);
  }

  @ParameterizedTest
  @CsvSource({
    "http://json-schema.org/draft-07/schema#, true",
    "http://json-schema.org/draft-04/schema, true",
    "https://json-schema.org/draft/2020-12/schema, false"
  })
  void whatStandsBesideAReferenceCountsOnlyInNewerDrafts(String draft, boolean fits)
      throws Exception {
    JsonSchema schema =
        read(
            "{'$schema':'%s','properties':{'v':{'$ref':'#/definitions/a','type':'string'}},"
                    .formatted(draft)
                + "'definitions':{'a':{'type':'integer'}}}");
    assertThat(schema.problems(new JsonObject("{\"v\":1}"), 7).isEmpty()).isEqualTo(fits);
    assertThat(schema.problems(new JsonObject("{\"v\":null}"), 7)).isNotEmpty();
  }

  @Test
  void anOldDraftNamesItsSchemasWithAnotherKeyword() throws Exception {
    JsonSchema schema =
        read(
            "{'$schema':'http://json-schema.org/draft-04/schema#','id':'http://x/y#',"
                + "'properties':{'v':{'$ref':'z'}},'definitions':{'a':{'id':'z','type':'null'}}}");
    assertThat(schema.problems(new JsonObject("{\"v\":1}"), 7)).isNotEmpty();
    assertThat(schema.problems(new JsonObject("{\"v\":null}"), 10)).isEmpty();
  }

  @Test
  void addressesAreBoundedAndWhatIsNoneIsNoneForAll() throws Exception {
    assertThatThrownBy(() -> read("{'$id':'http://x/" + "y".repeat(1000) + "'}"))
        .isInstanceOf(SchemaRefusedException.class)
        .hasMessageContaining("more than 1000 characters");
    assertThat(problems("{'$ref':'a b','$defs':{'x':{'$id':'a b','type':'null'}}}", "1"))
        .isNotEmpty();
    assertThatThrownBy(() -> read("{'$ref':'#%zz'}")).isInstanceOf(SchemaRefusedException.class);
  }

  @Test
  void whatIsWrongIsNamedWithItsPlace() throws Exception {
    assertThat(problems("{'items':{'type':'string'}}", "['a',1]"))
        .containsExactly("#/v/1: must be string, not integer");
    String either = "{'anyOf':[{'type':'null'},{'required':['b']}]}";
    assertThat(problems(either, "{'b':1}")).isEmpty();
    assertThat(problems(either, "{'a':1}"))
        .containsExactly(
            "#/v: must be null, not object",
            "#/v: must have a member b",
            "#/v: fits none of anyOf");
    String many = "[" + "1,".repeat(100) + "1]";
    assertThat(problems("{'items':{'type':'string'}}", many)).hasSize(10);
  }

  @Test
  void aSchemaThatDescribesATreeIsUsedAtEachLevel() throws Exception {
    String tree = "{'properties':{'next':{'$ref':'#'},'n':{'type':'integer'}}}";
    JsonObject value = new JsonObject("{\"next\":{\"next\":{\"n\":\"x\"}}}");
    assertThat(read(tree).problems(value, 30))
        .containsExactly("#/next/next/n: must be integer, not string");
  }

  private static String chain(int length) {
    return "{'$ref':'#/$defs/d0','$defs':{"
        + IntStream.range(0, length)
            .mapToObj(i -> "'d" + i + "':{'$ref':'#/$defs/d" + (i + 1) + "'}")
            .collect(Collectors.joining(","))
        + ",'d"
        + length
        + "':true}}";
  }

  private static String bomb(String key) {
    return "{'properties':{'v':{'$ref':'#/$defs/a0'}},'$defs':{"
        + IntStream.range(0, 15)
            .mapToObj(i -> "'a" + i + "':{'" + key + "':[" + tenTimes(i + 1) + "]}")
            .collect(Collectors.joining(","))
        + ",'a15':{'type':'string'}}}";
  }

  private static String tenTimes(int level) {
    return String.join(",", Collections.nCopies(10, "{'$ref':'#/$defs/a" + level + "'}"));
  }

  static List<Arguments> unusable() {
    String deep = "{'properties':{'a':".repeat(110) + "true" + "}}".repeat(110);
    return List.of(
        Arguments.of("{'allOf':[{'$ref':'#'}]}", "itself"),
        Arguments.of("{'anyOf':[{'$ref':'#'}]}", "itself"),
        Arguments.of("{'oneOf':[{'$ref':'#'}]}", "itself"),
        Arguments.of("{'not':{'$ref':'#'}}", "itself"),
        Arguments.of("{'if':{'$ref':'#'}}", "itself"),
        Arguments.of("{'if':true,'else':{'$ref':'#'}}", "itself"),
        Arguments.of("{'dependentSchemas':{'a':{'$ref':'#'}}}", "itself"),
        Arguments.of("{'$dynamicAnchor':'me','allOf':[{'$dynamicRef':'#me'}]}", "itself"),
        Arguments.of("{'$recursiveRef':'#'}", "itself"),
        Arguments.of(
            "{'$ref':'#/$defs/a','$defs':{'a':{'$ref':'#/$defs/b'},'b':{'$ref':'#/$defs/a'}}}",
            "itself"),
        Arguments.of("{'properties':{'a':{'$ref':'#/properties/a'}}}", "itself"),
        Arguments.of(bomb("allOf"), "more than 10000"),
        Arguments.of(bomb("anyOf"), "more than 10000"),
        Arguments.of(bomb("oneOf"), "more than 10000"),
        Arguments.of(chain(4000), "more than 200 schemas"),
        Arguments.of(deep, "deeper than 200"),
        Arguments.of("{'enum':[" + "[".repeat(300) + "]".repeat(300) + "]}", "deeper than 200"),
        Arguments.of("{'properties':{'a':{'pattern':'((('}}}", "no regular expression: ((("),
        Arguments.of("{'patternProperties':{'[':true}}", "no regular expression"),
        Arguments.of("{'$ref':'#/nowhere'}", "not in it"),
        Arguments.of("{'$ref':'other.json'}", "another document"),
        Arguments.of("{'properties':{'a':5}}", "malformed keyword properties"),
        Arguments.of("{'properties':[]}", "malformed keyword properties"),
        Arguments.of("{'type':'any'}", "malformed keyword type"),
        Arguments.of("{'minItems':-1}", "malformed keyword minItems"),
        Arguments.of("{'multipleOf':0}", "malformed keyword multipleOf"));
  }

  @ParameterizedTest
  @MethodSource("unusable")
  void aSchemaThatCannotBeUsedIsRefusedWithItsReason(String schema, String reason) {
    assertThatThrownBy(() -> read(schema))
        .isInstanceOf(SchemaRefusedException.class)
        .hasMessageContaining(reason);
  }

  private static String numbers(int count, String form) {
    return IntStream.range(0, count)
        .mapToObj(i -> form.formatted(i))
        .collect(Collectors.joining(","));
  }

  /** Texts with one hash. */
  private static List<String> colliding(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> String.format("%16s", Integer.toBinaryString(i)).replace('1', 'X'))
        .map(bits -> bits.replace("X", "Aa").replace(" ", "BB").replace("0", "BB"))
        .toList();
  }

  static List<Arguments> costly() {
    String node = "'allOf':[" + "{'properties':{'a':{'$ref':'#/$defs/n'}}},".repeat(20) + "true]";
    String nested = "{'a':".repeat(40) + "1" + "}".repeat(40);
    String items = "[" + numbers(40_000, "[%d]") + "]";
    String members = "{" + numbers(20_000, "'m%d':1") + "}";
    String letters = "'" + "a".repeat(200_000) + "!'";
    String patterns = "{" + numbers(2000, "'^(a|aa|m)*%d(b|c)*$':true") + "}";
    String keys =
        "{"
            + colliding(16_000).stream()
                .map(key -> "'" + key + "':1")
                .collect(Collectors.joining(","))
            + "}";
    return List.of(
        Arguments.of("a bomb over levels", "{" + node + "}", nested),
        Arguments.of("unique items", "{'uniqueItems':true}", items),
        Arguments.of(
            "unique items with one hash",
            "{'uniqueItems':true}",
            "["
                + colliding(40_000).stream()
                    .map(text -> "['" + text + "']")
                    .collect(Collectors.joining(","))
                + "]"),
        Arguments.of(
            "contains over large constants",
            "{'contains':{'const':[" + numbers(10_000, "%d") + "]}}",
            items),
        Arguments.of("an enumeration of arrays", "{'items':{'enum':[" + items + "]}}", items),
        Arguments.of("many patterns", "{'patternProperties':" + patterns + "}", members),
        Arguments.of("a pattern that doubles", "{'pattern':'^(a|aa)*(a*)*b$'}", letters),
        Arguments.of("a pattern that counts", "{'pattern':'^(a?){900}(a{0,900})$'}", letters),
        Arguments.of("nothing very often", "{'pattern':'^((){9999}){9999}$'}", letters),
        Arguments.of(
            "dependent schemas",
            "{'dependentSchemas':{"
                + numbers(3000, "'m%d':{'propertyNames':{'minLength':1}}")
                + "}}",
            members),
        Arguments.of(
            "names that nobody has dealt with",
            "{'unevaluatedProperties':false,'allOf':["
                + "{'patternProperties':{'^m':true}},".repeat(3000)
                + "true]}",
            members),
        Arguments.of(
            "items that nobody has dealt with",
            "{'unevaluatedItems':false,'anyOf':["
                + "{'contains':{'type':'array'}},".repeat(3000)
                + "true]}",
            items),
        Arguments.of("names with one hash", "{'additionalProperties':{'type':'integer'}}", keys),
        Arguments.of(
            "many problems", "{'items':{'anyOf':[" + "false,".repeat(500) + "false]}}", items));
  }

  /** Each took from 20 s to for ever, or would where the work is not bounded. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("costly")
  @Timeout(5)
  void aCheckEndsSoonWhateverTheSchemaAndTheValueAre(String what, String schema, String value)
      throws Exception {
    String whole =
        schema.contains("$defs")
            ? "{'properties':{'v':{'$ref':'#/$defs/n'}},'$defs':{'n':" + schema + "}}"
            : "{'properties':{'v':" + schema + "}}";
    JsonSchema costly = read(whole);
    String text = "{\"v\":" + value.replace('\'', '"') + "}";
    JsonObject object = new JsonObject(text);
    Throwable thrown = catchThrowable(() -> costly.problems(object, text.length()));
    assertThat(thrown == null || thrown instanceof StepsExceededException).as(what).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 900})
  void aValueThatIsNestedDeepIsCheckedOrGivenUp(int levels) throws Exception {
    JsonSchema tree = read("{'properties':{'a':{'$ref':'#'}}}");
    String text = "{\"a\":".repeat(levels) + "{}" + "}".repeat(levels);
    JsonObject value = new JsonObject(text);
    Throwable thrown = catchThrowable(() -> tree.problems(value, text.length()));
    assertThat(thrown != null).isEqualTo(levels > 500);
  }

  @Test
  void commonWorkIsDoneHoweverLongTheValueIs() throws Exception {
    String rows = "[" + numbers(100_000, "{'id':%d,'name':'row'}") + "]";
    String schema =
        "{'type':'array','items':{'type':'object','required':['id'],'properties':{"
            + "'id':{'type':'integer','minimum':0},'name':{'type':'string','pattern':'^[a-z]+$'}},"
            + "'additionalProperties':false}}";
    assertThat(problems(schema, rows)).isEmpty();
    assertThat(problems("{'pattern':'^[A-Za-z0-9+/=]*$'}", "'" + "QUJD".repeat(1_000_000) + "'"))
        .isEmpty();
  }
}
