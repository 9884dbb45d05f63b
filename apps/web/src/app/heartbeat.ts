import { checkHealth, readConnection } from '../lib/connection.ts'

/**
 * A page that is looked at notices within about this time that the server is away. It is a little longer than the pause
 * between the requests of pages that poll, so that these requests count as looks.
 */
const MAX_SILENCE_MS = 5_200
const MIN_PAUSE_MS = 500
/** Time that a question has before the server is asked whether it lives. */
const GRACE_MS = 1_000

type Question = () => Promise<unknown>
let question: Question | undefined

/** Sets the request of a page at rest in place of the server's health. @returns a function that takes it back */
export function setQuietQuestion(ask: Question): () => void {
  question = ask
  return () => {
    if (question === ask) question = undefined
  }
}

/** Asks the question of the page. Without an answer soon, it asks another one that every living server answers. */
async function askServer(): Promise<void> {
  const isAnswered = question?.().then(
    () => true,
    () => true,
  )
  const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), GRACE_MS))
  if (isAnswered === undefined || !(await Promise.race([isAnswered, late]))) await checkHealth()
}

/**
 * Looks after the server while the page is visible, from before the first page is drawn. Other requests of the page
 * count as looks; hidden pages send none. @returns a function that ends it
 */
export function startHeartbeat(): () => void {
  const readSilenceMs = () => Date.now() - readConnection().lastReplyAt
  let timer: ReturnType<typeof setTimeout>
  let isAsking = false
  const plan = () => {
    timer = setTimeout(look, Math.max(MIN_PAUSE_MS, MAX_SILENCE_MS - readSilenceMs()))
  }
  const look = () => {
    const isWatched = document.visibilityState === 'visible' && readConnection().state === 'online'
    if (isWatched && !isAsking && readSilenceMs() >= MAX_SILENCE_MS) {
      isAsking = true
      void askServer().finally(() => {
        isAsking = false
      })
    }
    plan()
  }
  plan()
  return () => clearTimeout(timer)
}
