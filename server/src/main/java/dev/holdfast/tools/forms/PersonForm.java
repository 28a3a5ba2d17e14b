package dev.holdfast.tools.forms;

import java.util.List;

/**
 * What a person is asked; without fields: for a yes.
 *
 * @param source who asks, such as {@code extension files}
 * @param message in the words of whoever asks
 */
public record PersonForm(String source, String message, List<FormField> fields) {
  public PersonForm {
    fields = List.copyOf(fields);
  }

  /** Whether a plain yes answers it: each field that is required holds something already. */
  public boolean takesPlainYes() {
    return fields.stream().allMatch(field -> !field.isRequired() || field.preset().isPresent());
  }
}
