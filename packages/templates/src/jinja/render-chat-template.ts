import { type CompiledJinja, compileJinja } from './compile.ts'
import type { JinjaLimits } from './limits.ts'
import type { Clock } from './ports.ts'

/** A message for templates; all its members are passed on. */
export type ChatTemplateMessage = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>

/** A conversation to render. */
export interface ChatTemplateInput {
  /** The template, or one that was compiled before. */
  readonly template: string | CompiledJinja
  readonly messages: readonly ChatTemplateMessage[]
  /** Declarations of functions. @default none, and templates see the value `none` */
  readonly tools?: readonly unknown[] | null | undefined
  /** Texts to answer from. @default none, and templates see the value `none` */
  readonly documents?: readonly unknown[] | null | undefined
  /** Whether to end with the beginning of an answer. @default false */
  readonly addGenerationPrompt?: boolean | undefined
  /** The variables `bos_token` and `eos_token`, which do not exist where they are absent. */
  readonly bosToken?: string | undefined
  readonly eosToken?: string | undefined
  /** Further variables, such as `enable_thinking`. They never replace the ones above. */
  readonly kwargs?: Readonly<Record<string, unknown>> | undefined
  /** The clock of `strftime_now`. @default the clock and zone of the machine */
  readonly clock?: Clock | undefined
  /** For a template that is compiled here. */
  readonly limits?: JinjaLimits | undefined
}

/** Names of a message's thoughts; the first present one wins. */
const REASONING_NAMES = ['reasoning_content', 'thinking', 'reasoning']

/**
 * Renders a conversation as the transformers library does: `messages`, `tools`, `documents` and `add_generation_prompt`
 * are always there, and a message with thoughts has them both as `reasoning_content` and as `thinking`, under any
 * original name.
 *
 * @throws the errors of {@link compileJinja} and {@link CompiledJinja.render}
 */
export function renderChatTemplate(input: ChatTemplateInput): string {
  const { template, limits } = input
  const compiled = typeof template === 'string' ? compileJinja(template, { limits }) : template
  const context = {
    ...input.kwargs,
    ...(input.bosToken !== undefined && { bos_token: input.bosToken }),
    ...(input.eosToken !== undefined && { eos_token: input.eosToken }),
    messages: input.messages.map(withReasoning),
    tools: input.tools ?? null,
    documents: input.documents ?? null,
    add_generation_prompt: input.addGenerationPrompt ?? false,
  }
  return compiled.render(context, { clock: input.clock })
}

/** A message whose thoughts have the names that templates read. */
function withReasoning(message: ChatTemplateMessage): ChatTemplateMessage {
  const entries = message instanceof Map ? message : new Map(Object.entries(message))
  const name = REASONING_NAMES.find((candidate) => (entries.get(candidate) ?? null) !== null)
  if (name === undefined) return message
  const reasoning: unknown = entries.get(name)
  const copy = new Map<string, unknown>([['thinking', reasoning]])
  for (const [key, value] of entries) copy.set(key, value)
  return copy.set('reasoning_content', reasoning)
}
