import { selfCheckQuestions, selfCheckText } from "../../core/rules/self-check.ts";
import { writeAll } from "../output/descriptor.ts";

/** `lockstep self-check`: the questions that an orchestrating agent asks itself. */
export function selfCheckCommand({ json }: { readonly json?: boolean }): 0 {
  writeAll(1, json === true ? `${JSON.stringify(selfCheckQuestions, null, 2)}\n` : `${selfCheckText()}\n`);
  return 0;
}
