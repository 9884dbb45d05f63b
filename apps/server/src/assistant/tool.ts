import * as z from 'zod'
import type { ToolContent } from '../inference/tools/server-tools.ts'
import type { ApiReply, ApiRequest } from './api.ts'

/** The answer of a tool: a value that is shown as JSON, a text, or parts. */
export type ToolAnswer =
  | { readonly value: unknown }
  | { readonly text: string }
  | { readonly content: readonly ToolContent[] }

/** What a running tool can use. */
export interface ToolContext {
  /**
   * Calls the API for the caller.
   *
   * @throws {SvcError} with the message of the route, for a reply above 399
   */
  request(request: ApiRequest): Promise<ApiReply>
  /** Waits. @throws the signal's reason */
  sleep(ms: number): Promise<void>
  /** Tells the client how far the tool is. */
  progress(message: string, share?: { readonly done: number; readonly total: number }): void
  /** Sends a line to the client's log. */
  log(message: string): void
  /** Ends the stream of the call; its client comes back for the rest. */
  closeStream?(): void
  readonly signal: AbortSignal
}

/** What a tool does to the server. */
export type ToolEffect =
  | 'read'
  /** It adds or changes something. */
  | 'write'
  /** It may remove or overwrite something. */
  | 'destructive'

/** A tool of the assistant. */
export interface AssistantTool {
  /** Unique, in snake_case. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly effect: ToolEffect
  /** Whether a second call with the same arguments changes nothing more. */
  readonly idempotent: boolean
  /** Whether it reaches servers elsewhere. */
  readonly openWorld: boolean
  /** The routes that it calls. A caller who may not use all of them does not see the tool. */
  readonly routes: readonly string[]
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** @throws {z.ZodError} for arguments that do not fit */
  run(args: unknown, context: ToolContext): Promise<ToolAnswer>
}

/** The declaration of a tool. */
export interface ToolDeclaration<Shape extends z.ZodRawShape> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** @default 'read' */
  readonly effect?: ToolEffect
  /** @default true for tools that read */
  readonly idempotent?: boolean
  /** @default false */
  readonly openWorld?: boolean
  /** @default no arguments */
  readonly input?: Shape
  readonly routes: readonly [string, ...string[]]
  run(args: z.output<z.ZodObject<Shape>>, context: ToolContext): Promise<ToolAnswer>
}

/** Declares a tool. Arguments that it does not name are refused. */
export function defineTool<Shape extends z.ZodRawShape>(tool: ToolDeclaration<Shape>): AssistantTool {
  const { name, title, description, effect = 'read', openWorld = false, routes, run } = tool
  const schema = z.strictObject(tool.input ?? ({} as Shape))
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema, { io: 'input' })
  return {
    name,
    title,
    description,
    effect,
    idempotent: tool.idempotent ?? effect === 'read',
    openWorld,
    routes,
    inputSchema,
    run: async (args, context) => run(schema.parse(args ?? {}) as z.output<z.ZodObject<Shape>>, context),
  }
}

/** Declares a tool that is one route of the API. */
export function defineRouteTool<Shape extends z.ZodRawShape>({
  route,
  toRequest = () => ({}),
  ...tool
}: Omit<ToolDeclaration<Shape>, 'routes' | 'run'> & {
  readonly route: string
  /** @default a request without values */
  readonly toRequest?: (args: z.output<z.ZodObject<Shape>>) => Omit<ApiRequest, 'route'>
}): AssistantTool {
  return defineTool<Shape>({
    ...tool,
    routes: [route],
    run: async (args, { request }) => toAnswer(await request({ route, ...toRequest(args) })),
  })
}

/** The reply of a route as an answer. */
export function toAnswer({ json, text, status }: ApiReply): ToolAnswer {
  if (json !== undefined) return { value: json }
  return { text: text === '' ? `done (status ${status})` : text }
}

/** A name of a model, backend, account or operation. */
export const name = (about: string) => z.string().min(1).max(256).describe(about)

/** A whole number. */
export const whole = (about: string, { min, max }: { readonly min: number; readonly max: number }) =>
  z.int().min(min).max(max).describe(about)

/** A short text. */
export const word = (about: string) => z.string().max(256).describe(about)
