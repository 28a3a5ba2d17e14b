/** The doors that programs written for other servers come in by, tried with those programs. */
package dev.holdfast.tests.programs;
