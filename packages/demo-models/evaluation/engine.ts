import { getLlama, type Llama, type LlamaContextSequence, type LlamaModel, type Token } from 'node-llama-cpp'

/** One turn of a conversation. */
export interface Turn {
  readonly role: string
  readonly content: string
}

/** Options of sampling. */
export interface Sampling {
  /** @default 0 */
  readonly temperature?: number | undefined
  /** @default 1 */
  readonly seed?: number | undefined
}

/** Longest answer, in tokens. */
const ANSWER_LIMIT = 200

/** Starts the engine on one thread, without a GPU. The caller disposes of it. */
export async function startEngine(): Promise<Llama> {
  return getLlama({ gpu: false, build: 'never', skipDownload: true, maxThreads: 1, progressLogs: false })
}

/** A chat model that answers one conversation after the other. */
export class ChatModel implements AsyncDisposable {
  readonly #model: LlamaModel
  readonly #sequence: LlamaContextSequence
  readonly #turnStart: Token
  readonly #turnEnd: Token

  constructor(model: LlamaModel, sequence: LlamaContextSequence) {
    this.#model = model
    this.#sequence = sequence
    this.#turnStart = single(model.tokenize('<|im_start|>', true))
    this.#turnEnd = single(model.tokenize('<|im_end|>', true))
  }

  static async load(llama: Llama, file: string): Promise<ChatModel> {
    const model = await llama.loadModel({ modelPath: file })
    const context = await model.createContext({ contextSize: 1024, sequences: 1, threads: 1 })
    return new ChatModel(model, context.getSequence())
  }

  /** The answer as text, and whether the model ended it by itself within {@link ANSWER_LIMIT} tokens. */
  async answer(
    turns: readonly Turn[],
    { temperature = 0, seed = 1 }: Sampling = {},
  ): Promise<{ readonly text: string; readonly ended: boolean }> {
    await this.#sequence.clearHistory()
    const tokens: Token[] = []
    const options = { temperature, topK: 0, topP: 1, minP: 0, seed, yieldEogToken: true }
    for await (const token of this.#sequence.evaluate(this.#prompt(turns), options)) {
      if (this.#model.isEogToken(token)) return { text: this.#model.detokenize(tokens, false), ended: true }
      tokens.push(token)
      if (tokens.length >= ANSWER_LIMIT) break
    }
    return { text: this.#model.detokenize(tokens, false), ended: false }
  }

  /** The mean log-probability of each candidate as the answer, its end included: at most 0. */
  async score(turns: readonly Turn[], candidates: readonly string[]): Promise<readonly number[]> {
    const prompt = this.#prompt(turns)
    const means: number[] = []
    for (const candidate of candidates) {
      means.push(await this.#scoreOne(prompt, [...this.#model.tokenize(candidate), this.#turnEnd]))
    }
    return means
  }

  async #scoreOne(prompt: readonly Token[], answer: readonly Token[]): Promise<number> {
    await this.#sequence.clearHistory()
    const first = prompt.length - 1
    const all = [...prompt, ...answer.slice(0, -1)]
    const input = all.map((token, index): Token | [Token, ReturnType<typeof probe>] => {
      const next = answer[index - first]
      return next === undefined ? token : [token, probe(next)]
    })
    const output = await this.#sequence.controlledEvaluate(input)
    const sum = answer.reduce((total, token, index) => {
      const seen = output[first + index]?.next
      const logits = seen?.logits
      const own = logits?.get(token)
      if (logits === undefined || own === undefined || seen?.totalLogitWeight === undefined) {
        throw new Error('the engine gave no logit of a token that was asked for')
      }
      return total + own - Math.max(...logits.values()) - Math.log(seen.totalLogitWeight)
    }, 0)
    return sum / answer.length
  }

  /** Content never becomes a control token. */
  #prompt(turns: readonly Turn[]): Token[] {
    const head = this.#model.tokenize('assistant\n')
    const text = turns.flatMap(({ role, content }) => [
      this.#turnStart,
      ...(role === 'assistant'
        ? [...head, ...this.#answerTokens(content)]
        : this.#model.tokenize(`${role}\n${content}`)),
      this.#turnEnd,
      ...this.#model.tokenize('\n'),
    ])
    return [...text, this.#turnStart, ...head]
  }

  /** The two marks of a tool call are tokens of their own. */
  #answerTokens(content: string): Token[] {
    return content.split(/(<\/?tool_call>)/).flatMap((part, index) => this.#model.tokenize(part, index % 2 === 1))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#model.dispose()
  }
}

/** Reads the logit of one token and the log-sum of all logits. */
function probe(next: Token) {
  return {
    generateNext: {
      logits: { filter: { tokens: [next], includeTop: 1 } },
      totalLogitWeight: true,
      options: { temperature: 1, topK: 0, topP: 1, minP: 0 },
    },
  } as const
}

function single(tokens: readonly Token[]): Token {
  const [token] = tokens
  if (token === undefined || tokens.length > 1) throw new Error('the vocabulary has no single token for a turn mark')
  return token
}

/** Vectors of length 1. */
export async function embedAll(llama: Llama, file: string, texts: readonly string[]): Promise<readonly number[][]> {
  const model = await llama.loadModel({ modelPath: file })
  const context = await model.createEmbeddingContext({ contextSize: 1024, threads: 1 })
  const vectors: number[][] = []
  for (const text of texts) {
    const { vector } = await context.getEmbeddingFor(text)
    const length = Math.hypot(...vector)
    vectors.push(vector.map((value) => value / length))
  }
  await model.dispose()
  return vectors
}
