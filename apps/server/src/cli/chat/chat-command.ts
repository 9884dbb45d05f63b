import { SvcError } from '@svc/errors'
import type { ChatTask } from '../../config/load.ts'
import type { PlatformOptions } from '../../platform/open-platform.ts'
import { wantsColor } from '../greeting.ts'
import { withOwnServer } from '../own-server.ts'
import { createServerClient, isNoServer, type ServerClient, toServerUrl } from '../remote-client.ts'
import { createEditorOutput, print, printLine } from '../terminal.ts'
import { type Conversation, createConversation } from './conversation.ts'
import { openLineInput } from './line-input.ts'
import { printAnswer } from './print-answer.ts'
import { joinPrompt, STANDARD_INPUT } from './prompt-words.ts'

/** Exit codes as shells have them: after a signal, and after the reader of the output has left. */
const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const
const INTERRUPTED: number = SIGNAL_CODES.SIGINT
const READER_GONE = 141
/** Most bytes of a prompt from a pipe. */
const MAX_PROMPT_BYTES = 16 * 1024 * 1024

const HELP = `Ctrl-C stops an answer; again, it leaves. Ctrl-D leaves, too.
A backslash at the end of a line continues it. A pasted text is one prompt.
/clear forgets the conversation, /exit leaves.
`

/**
 * `svc chat`: asks a model one question, or talks to it at a terminal. It asks the running server, or one of the same
 * folders in this process where none runs.
 *
 * @returns the exit code
 * @throws {SvcError} of the connection, or the refusal of the server
 */
export async function runChatCommand(options: PlatformOptions, task: ChatTask): Promise<number> {
  const isDialogue = task.prompt === undefined && process.stdin.isTTY && process.stdout.isTTY
  const prompt = isDialogue ? undefined : await readPrompt(task.prompt)
  const chat = async (server: ServerClient): Promise<number> => {
    // A wrong name is said before anybody types.
    await server.get(`/v1/models/${encodeURIComponent(task.model)}`)
    const { model, system } = task
    const parts = { server, model, system, color: wantsColor(options.environment) }
    return prompt === undefined ? talk(parts) : answerOnce(parts, prompt)
  }
  try {
    return await chat(createServerClient(toServerUrl(options.config), options.config))
  } catch (error) {
    if (!isNoServer(error)) throw error
  }
  return withOwnServer(options, chat)
}

/** The prompt of the command line; without words all of standard input. */
async function readPrompt(words: readonly string[] = [STANDARD_INPUT]): Promise<string> {
  const prompt = joinPrompt(words, words.includes(STANDARD_INPUT) ? await readInput() : '')
  if (prompt === '') throw new SvcError('invalid_request', 'the prompt is empty', { code: 'prompt_empty' })
  return prompt
}

async function readInput(): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of process.stdin) {
    const bytes = Buffer.from(piece)
    size += bytes.length
    if (size > MAX_PROMPT_BYTES) throw new SvcError('too_large', 'the prompt is longer than 16 MB')
    pieces.push(bytes)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Parts of a chat. */
interface ChatParts {
  readonly server: ServerClient
  readonly model: string
  readonly system: string | undefined
  /** Whether a terminal may get control sequences. */
  readonly color: boolean
}

/** Prints the answer to one prompt. */
async function answerOnce({ server, model, system, color }: ChatParts, prompt: string): Promise<number> {
  const stopping = new AbortController()
  let exitCode = INTERRUPTED
  process.once('SIGINT', () => stopping.abort())
  process.stdout.once('error', () => {
    exitCode = READER_GONE
    stopping.abort()
  })
  const messages = createConversation({ system }).ask(prompt)
  const { outcome } = await printAnswer(server, { model, messages, signal: stopping.signal }, { color })
  if (outcome === 'interrupted') return exitCode
  return outcome === 'failed' ? 1 : 0
}

/** Talks to a model until the person leaves. The exit code is that of the last answer. */
async function talk({ server, model, system, color }: ChatParts): Promise<number> {
  const conversation = createConversation({ system })
  let answering: AbortController | undefined
  let interrupts = 0
  let exitCode = 0
  let signalCode: number | undefined
  const lines = openLineInput({
    input: process.stdin,
    output: createEditorOutput(),
    onInterrupt() {
      interrupts += 1
      lines.discard()
      answering?.abort()
      if (interrupts > 1) leave('SIGINT')
      else if (answering === undefined) lines.remark('Ctrl-C again leaves.')
    },
  })
  // A SIGINT comes where the editor does not have the keys, as after Ctrl-D in an answer.
  const leave = (signal: keyof typeof SIGNAL_CODES): void => {
    signalCode ??= SIGNAL_CODES[signal]
    answering?.abort()
    lines.close()
  }
  for (const signal of SIGNALS) process.once(signal, leave)
  printLine(`${model} answers. /help says how to talk, Ctrl-D leaves.`)
  try {
    for (;;) {
      const prompt = await lines.next()
      if (prompt === undefined || LEAVING.has(prompt.trim())) break
      interrupts = 0
      if (runOrder(prompt.trim(), conversation)) continue
      lines.setQuiet(true)
      answering = new AbortController()
      const messages = conversation.ask(prompt)
      const { outcome, text } = await printAnswer(server, { model, messages, signal: answering.signal }, { color })
      answering = undefined
      if (outcome !== 'failed') conversation.keep(prompt, text)
      exitCode = outcome === 'failed' ? 1 : 0
    }
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave)
    lines.close()
  }
  return signalCode ?? exitCode
}

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const

const LEAVING: ReadonlySet<string> = new Set(['/exit', '/bye', '/quit'])

/** Carries out an order to this program. @returns whether it was one, or an empty line */
function runOrder(order: string, conversation: Conversation): boolean {
  if (order === '/help') print(HELP)
  if (order === '/clear') {
    conversation.clear()
    printLine('The conversation is forgotten.')
  }
  return ['', '/help', '/clear'].includes(order)
}
