package dev.holdfast.plugins;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;

/**
 * Turns calls that end the process, and references to them, into those of {@link ExitGuard}. A call
 * by reflection or native code is not found: this keeps a careless plugin from ending the server,
 * not a hostile one.
 */
final class ExitRewriter {
  private static final ClassDesc GUARD = ClassDesc.of(ExitGuard.class.getName());
  private static final ClassDesc RUNTIME = ClassDesc.of("java.lang.Runtime");
  private static final MethodTypeDesc OF_SYSTEM =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);
  private static final MethodTypeDesc OF_RUNTIME =
      MethodTypeDesc.of(ConstantDescs.CD_void, RUNTIME, ConstantDescs.CD_int);

  private enum Exit {
    NONE,
    SYSTEM,
    RUNTIME
  }

  private ExitRewriter() {}

  /**
   * The class without such calls; the same bytes when it has none.
   *
   * @param classes where the classes that it names are found
   */
  static byte[] rewritten(byte[] bytes, ClassLoader classes) {
    ClassModel model;
    try {
      model = ClassFile.of().parse(bytes);
      if (!namesExit(model)) {
        return bytes;
      }
    } catch (IllegalArgumentException _) {
      return bytes; // no class of a version that this Java knows: it refuses it itself
    }
    ClassFile file =
        ClassFile.of(
            ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(classes)
                    .orElse(ClassHierarchyResolver.defaultResolver())));
    return file.transformClass(
        model,
        ClassTransform.transformingMethodBodies(
            (code, element) -> {
              switch (element) {
                case InvokeInstruction call -> invoke(code, call);
                case InvokeDynamicInstruction call ->
                    code.invokedynamic(
                        DynamicCallSiteDesc.of(
                            call.bootstrapMethod(),
                            call.name().stringValue(),
                            call.typeSymbol(),
                            rewritten(call.bootstrapArgs())));
                case ConstantInstruction.LoadConstantInstruction load ->
                    code.loadConstant(rewritten(load.constantValue()));
                default -> code.with(element);
              }
            }));
  }

  private static void invoke(CodeBuilder code, InvokeInstruction call) {
    switch (exit(
        call.owner().asInternalName(), call.name().stringValue(), call.type().stringValue())) {
      case SYSTEM -> code.invokestatic(GUARD, "exit", OF_SYSTEM);
      case RUNTIME -> code.invokestatic(GUARD, "exit", OF_RUNTIME);
      case NONE -> code.with(call);
    }
  }

  private static ConstantDesc[] rewritten(List<ConstantDesc> constants) {
    return constants.stream().map(ExitRewriter::rewritten).toArray(ConstantDesc[]::new);
  }

  /** A reference to a method that ends the process becomes one to the guard. */
  private static ConstantDesc rewritten(ConstantDesc constant) {
    if (!(constant instanceof DirectMethodHandleDesc handle)) {
      return constant;
    }
    String owner = handle.owner().descriptorString();
    return switch (exit(
        owner.substring(1, owner.length() - 1), handle.methodName(), handle.lookupDescriptor())) {
      case SYSTEM -> guard(OF_SYSTEM);
      case RUNTIME -> guard(OF_RUNTIME);
      case NONE -> constant;
    };
  }

  private static ConstantDesc guard(MethodTypeDesc type) {
    return MethodHandleDesc.ofMethod(DirectMethodHandleDesc.Kind.STATIC, GUARD, "exit", type);
  }

  private static boolean namesExit(ClassModel model) {
    for (PoolEntry entry : model.constantPool()) {
      if (entry instanceof MemberRefEntry ref
          && exit(ref.owner().asInternalName(), ref.name().stringValue(), ref.type().stringValue())
              != Exit.NONE) {
        return true;
      }
    }
    return false;
  }

  private static Exit exit(String owner, String name, String type) {
    if (!type.equals("(I)V")) {
      return Exit.NONE;
    }
    return switch (owner + "." + name) {
      case "java/lang/System.exit" -> Exit.SYSTEM;
      case "java/lang/Runtime.exit", "java/lang/Runtime.halt" -> Exit.RUNTIME;
      default -> Exit.NONE;
    };
  }
}
