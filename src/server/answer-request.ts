import * as z from "zod";
import { operationSchemas } from "../contract/operation-schemas.ts";
import { type OperationName, operations } from "../contract/operations.ts";
import { line } from "../contract/parts.ts";
import { type Deny, deny } from "../core/rules/verdict.ts";
import type { Call, Engine } from "../engine/change/engine.ts";
import { checkEpoch } from "../engine/change/fence.ts";
import { operate } from "../engine/operate.ts";
import { internalFault } from "../hooks/run-point.ts";
import { protocolVersion } from "./protocol.ts";

const requestForm = z.object({
  operation: z.string(),
  input: z.unknown(),
  call: z.object({
    role: z.string().optional(),
    task: line.optional(),
    epoch: z.int().nonnegative().optional(),
    token: z.string().min(1).optional(),
    key: z
      .string()
      .regex(/^[\x21-\x7e]{1,200}$/)
      .optional(),
    dryRun: z.boolean().optional(),
  }),
});

type Request = z.infer<typeof requestForm>;

/** Every request gets the operation's answer or a refusal, as JSON. */
export async function answerRequest(engine: Engine, bytes: Uint8Array): Promise<string> {
  try {
    return JSON.stringify((await answer(engine, bytes)) ?? null);
  } catch (error) {
    return JSON.stringify(internalFault(error));
  }
}

async function answer(engine: Engine, bytes: Uint8Array): Promise<unknown> {
  const request = readRequest(bytes);
  if ("allow" in request) return request;
  const call = await callOf(engine, request);
  return "allow" in call ? call : perform(engine, request, call);
}

function readRequest(bytes: Uint8Array): Request | Deny {
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return deny("R-IN-001", "the request is not one line of JSON in UTF-8"); // the cause may quote secrets
  }
  const version = z.object({ version: z.int() }).safeParse(document);
  if (version.success && version.data.version !== protocolVersion)
    return deny(
      "R-IN-001",
      `this host supports only protocol version ${protocolVersion}: use the lockstep version that started it`,
    );
  const read = requestForm.safeParse(version.success ? document : undefined);
  return read.success ? read.data : malformed("request", read.error);
}

function malformed(what: string, { issues }: z.ZodError): Deny {
  const [issue] = issues;
  const where =
    issue === undefined || issue.path.length === 0 ? what : `${what}'s \`${issue.path.join(".")}\``;
  return deny("R-IN-001", `the ${where} does not match the schema: see \`lockstep schema operations\``);
}

/** Access to the socket does not prove identity; the token does. */
async function callOf(engine: Engine, { call }: Request): Promise<Call | Deny> {
  const { role = "attempt", task, token, epoch, key, dryRun } = call;
  if (role !== "attempt" || task === undefined || token === undefined)
    return deny(
      "R-AU-001",
      "this socket accepts only agents with LOCKSTEP_TASK, LOCKSTEP_EPOCH and LOCKSTEP_TOKEN: to work as a person, unset LOCKSTEP_SOCKET",
    );
  const current = await engine.ledger.attempt(task);
  const attempt: Call = {
    role,
    task,
    token,
    ...(current?.agent == null ? {} : { as: `agent ${current.agent}` }),
    ...(epoch === undefined ? {} : { epoch }),
    ...(key === undefined ? {} : { key }),
    ...(dryRun === undefined ? {} : { dryRun }),
  };
  return checkEpoch(engine, task, current, attempt) ?? attempt;
}

async function perform(engine: Engine, { operation, input }: Request, call: Call): Promise<unknown> {
  if (!isOperation(operation))
    return deny("R-IN-001", "the operation does not exist: see `lockstep schema operations`");
  const read = operationSchemas[operation].input.safeParse(input);
  const open = operations[operation].callers.some((caller) => caller === call.role);
  if (open && !read.success) return malformed(`input of \`${operation}\``, read.error);
  return operate(engine, operation, (read.data ?? {}) as never, call);
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}
