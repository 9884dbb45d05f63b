import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDecisionLog, createRouter, type Embedder, type RouterSettings, resolveCorpusName } from '@svc/router'
import { createCorpora, createFingerprint } from '@svc/router/corpus'
import { createCorpusFiles } from '@svc/router/node'

/** The "embedding model": counts letter pairs. In its place stands a model. */
const embedder: Embedder = {
  async embed(texts) {
    return texts.map((text) => {
      const vector = new Float32Array(27 * 27)
      const letters = Array.from(text.toLowerCase(), (letter) =>
        Math.max(0, 'abcdefghijklmnopqrstuvwxyz'.indexOf(letter) + 1),
      )
      for (const [index, letter] of letters.entries()) {
        const pair = letter * 27 + (letters[index + 1] ?? 0)
        vector[pair] = (vector[pair] ?? 0) + 1
      }
      return vector
    })
  },
}

const settings: RouterSettings = {
  classifier: 'knn',
  policies: [
    { label: 'code', description: 'Programs' },
    { label: 'chat', description: 'Everything else' },
  ],
  candidates: [
    { model: 'small', labels: ['chat'] },
    { model: 'large', labels: ['chat', 'code'] },
  ],
  fallback: 'large',
  knn: { embeddingModel: 'letter-pairs', k: 1, similarityThreshold: 0.5 },
}

const folder = await mkdtemp(join(tmpdir(), 'embed-router-'))
const { signal } = new AbortController()
const corpora = createCorpora({ store: createCorpusFiles({ folder }) })
try {
  const corpus = corpora.open({
    name: resolveCorpusName('auto', settings),
    embedder,
    embeddingModel: 'letter-pairs',
    fingerprint: createFingerprint('letter-pairs, first version'),
  })
  const labels = new Set(settings.policies.map(({ label }) => label))
  const entries = [
    { text: 'fix the bug in this function', labels: ['code'] },
    { text: 'how are you today', labels: ['chat'] },
  ]
  const { added } = await corpus.add(entries, { labels, signal })
  console.log(`${added} texts`)

  const router = createRouter({ name: 'auto', settings, embedder, corpus })
  const log = createDecisionLog()
  for (const prompt of ['Can you fix the bugs in my function?', 'And how are you?', '12345']) {
    const decision = await router.decide(prompt, { signal })
    log.record(
      { correlationId: prompt, userId: 'me', routerModel: 'auto', requestedModel: 'auto', source: 'example' },
      decision,
    )
  }
  for (const { correlationId, servedModel, label, reason } of log.list().reverse()) {
    console.log(`${correlationId} -> ${servedModel} (${label}, ${reason})`)
  }
} finally {
  await corpora.close()
  await rm(folder, { recursive: true })
}
