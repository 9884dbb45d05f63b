import { createDice } from '../e2e/storm.ts'
import { ask, type Outcome } from '../kill-runs/requests.ts'

const CLIENTS = 6

/** Requests that go on until they are ended. */
interface Load {
  /** The outcomes since the last look. */
  take(): readonly Outcome[]
  end(): Promise<void>
}

/** What a load asks for, and where. */
interface LoadOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly models: readonly string[]
  readonly seed: number
}

/** Starts clients that send one chat after the other, each on a connection of its own. */
export function startLoad({ url, headers, models, seed }: LoadOptions): Load {
  const dice = createDice(seed)
  let outcomes: Outcome[] = []
  let isOver = false
  async function send(): Promise<void> {
    while (!isOver) {
      const model = models[dice.below(models.length)] ?? ''
      const [stream, long] = [dice.below(2) === 0, dice.below(2) === 0]
      outcomes.push(await ask({ url, headers: { ...headers, connection: 'close' }, model, stream, long }))
    }
  }
  const clients = Array.from({ length: CLIENTS }, send)
  return {
    take() {
      const taken = outcomes
      outcomes = []
      return taken
    },
    async end() {
      isOver = true
      await Promise.all(clients)
    },
  }
}
