/**
 * The providers whose wire formats LangChain4j knows, and what has to be added to it.
 *
 * <p>Knows no level and no price.
 */
@NullMarked
package dev.holdfast.models.langchain;

import org.jspecify.annotations.NullMarked;
