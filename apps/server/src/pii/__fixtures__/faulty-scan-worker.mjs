// A thread that obeys the text of its document.
import { parentPort } from 'node:worker_threads'

const ACTS = {
  exit: () => process.exit(1),
  throw: () => {
    throw new Error('thrown on purpose')
  },
  hang: () => {
    for (;;);
  },
  fill: () => {
    for (const kept = []; ; ) kept.push(new Array(10_000).fill(kept.length))
  },
  refuse: () => parentPort.postMessage({ kind: 'failed', code: 'pii_config' }),
  // waits for the message that the caller has left
  wait: () => undefined,
}

let documents = 0
parentPort.on('message', ({ kind, task }) => {
  if (kind === 'abandon') return parentPort.postMessage({ kind: 'failed' })
  documents += 1
  const act = ACTS[new TextDecoder().decode(task.document.text[0])]
  if (act !== undefined) return act()
  // Reports the number of this thread's documents as the end of a finding.
  const places = new Uint32Array([0, documents, 0])
  const kinds = [{ group: 'COUNT', source: 'pattern', score: 1, action: 'mask' }]
  parentPort.postMessage({ kind: 'found', found: { kinds, places } }, [places.buffer])
})
