import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { patienceMs, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

/** A request of the harness with the values that it read of the reply, or the accuracy at the end of a mode. */
interface Line {
  readonly mode: string
  readonly request?: Readonly<Record<string, unknown>>
  /** For each prompt the number of tokens before the scored ones. */
  readonly contexts?: readonly number[]
  /** For each prompt the sum of the log-probabilities, and whether each token is the likeliest. */
  readonly scores?: readonly Score[]
  readonly texts?: readonly string[]
  readonly accuracy?: number
}

type Score = readonly [sum: number, greedy: boolean]

interface Choice {
  readonly index: number
  readonly text: string
  readonly logprobs: {
    readonly token_logprobs: readonly (number | null)[]
    readonly top_logprobs: readonly (Readonly<Record<string, number>> | null)[]
  } | null
}

const FOLDER = fileURLToPath(new URL('./lm-evaluation-harness/', import.meta.url))
/** The output of `evaluate.py` with the demo model. */
const RECORDED = readLines(readFileSync(`${FOLDER}requests.jsonl`, 'utf8'))
const MODES = [...new Set(RECORDED.map(({ mode }) => mode))]

let server: BuiltServer
beforeAll(async () => {
  server = await startBuiltServer({ env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
})
afterAll(() => server[Symbol.asyncDispose]())

describe('the requests of lm-evaluation-harness', () => {
  it.each(MODES)('give its scores and texts, sent as %s', async (mode) => {
    const lines = RECORDED.filter((line) => line.mode === mode && line.request !== undefined)
    expect(lines.length).toBeGreaterThan(3)
    for (const { request, contexts, scores, texts } of lines) {
      const choices = await complete(request)
      if (texts !== undefined) expect(choices.map(({ text }) => text)).toEqual(texts)
      else expect(choices.map((choice, index) => score(choice, contexts?.[index] ?? 0))).toEqual(near(scores))
    }
  })

  it('have scores that do not depend on how the prompts are sent', () => {
    const [first, ...others] = MODES.map((mode) => RECORDED.filter((line) => line.mode === mode))
    const list = (lines: readonly Line[] = []): readonly unknown[] => lines.flatMap(({ scores = [] }) => scores)
    for (const lines of others) expect(list(lines)).toEqual(near(list(first) as readonly Score[]))
    expect(RECORDED.flatMap(({ accuracy }) => accuracy ?? [])).toEqual(MODES.map(() => 1))
  })
})

const python = findHarness()

describe.skipIf(python.missing)(
  python.missing === undefined ? 'lm-evaluation-harness' : `[not run: ${python.missing}]`,
  () => {
    it('sends the recorded requests and reads their scores from our replies', {
      timeout: patienceMs(300_000),
    }, async () => {
      await using cache = await tempDir()
      const { stdout } = await promisify(execFile)(python.path, [`${FOLDER}evaluate.py`, server.url, 'demo'], {
        env: { ...process.env, HF_HOME: cache.path },
      })
      expect(readLines(stdout)).toEqual(
        RECORDED.map((line) => ({ ...line, ...(line.scores && { scores: near(line.scores) }) })),
      )
    })
  },
)

async function complete(request: unknown): Promise<readonly Choice[]> {
  const reply = await fetch(`${server.url}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  expect(reply.status).toBe(200)
  const { choices } = (await reply.json()) as { choices: readonly Choice[] }
  return choices
}

/** Scores an echoed prompt as the harness does: without its context, and without the one token after it. */
function score({ logprobs }: Choice, context: number): Score {
  const own = logprobs?.token_logprobs.slice(context, -1) ?? []
  const tops = logprobs?.top_logprobs.slice(context, -1) ?? []
  const sum = own.reduce<number>((total, value) => total + (value ?? Number.NaN), 0)
  return [sum, own.every((value, index) => value === Math.max(...Object.values(tops[index] ?? {})))]
}

/** Allows for the arithmetic of other processors. */
function near(scores: readonly Score[] = []): readonly unknown[] {
  return scores.map(([sum, greedy]) => [expect.closeTo(sum, 0), greedy])
}

function readLines(text: string): readonly Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** Finds a Python with the harness, for the long suite. Nothing is ever installed. */
function findHarness(): { readonly path: string; readonly missing?: string } {
  const path = process.env.HARNESS_PYTHON ?? 'python3'
  if (process.env.SVC_LONG !== '1') return { path, missing: 'lm-evaluation-harness, SVC_LONG is not 1' }
  const { status } = spawnSync(path, ['-c', 'import lm_eval.models.openai_completions'])
  return status === 0 ? { path } : { path, missing: `lm-evaluation-harness, ${path} has no lm_eval[api]` }
}
