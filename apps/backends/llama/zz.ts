import { readGgufFile } from './src/engine/gguf-header.ts'
for (let i=0;i<3;i++){const t=performance.now(); await readGgufFile('/tmp/ll/big/vocab.gguf'); console.log('header ms', performance.now()-t)}
import { startBackend } from './test/backend.ts'
const b = await startBackend()
const t0=performance.now()
await b.loadFile('/tmp/ll/big/big.gguf', {Options:['parallel:2']}); console.log('load', performance.now()-t0)
const long='hello world '.repeat(1500)
for (const delay of [100, 300, 700, 1500]) {
  const c = new AbortController()
  const p = b.client.predict({Prompt: long, Tokens: 5}, {signal: c.signal}).catch(e=>e.kind)
  await new Promise(r=>setTimeout(r,delay))
  const state0 = (await b.client.status({})).state
  const t=performance.now(); c.abort(); await p; const t1=performance.now()
  while((await b.client.status({})).state!==2) await new Promise(r=>setTimeout(r,2))
  console.log('abort in prefill', {delay, state0, rpcEnded: t1-t, slotFree: performance.now()-t})
}
for (let i=0;i<3;i++) {
  const c = new AbortController()
  const s = b.client.predictStream({Prompt: 'hello', Tokens: 500, IgnoreEOS:true}, {signal: c.signal})
  await s.next()
  const t=performance.now(); c.abort(); await s.next().catch(()=>{}); const t1=performance.now()
  while((await b.client.status({})).state!==2) await new Promise(r=>setTimeout(r,2))
  console.log('abort in generation', {rpcEnded: t1-t, slotFree: performance.now()-t})
}
const r = await b.client.predict({Prompt: long.slice(0,6000), Tokens: 20, IgnoreEOS:true})
console.log(r.promptTokens, r.timingPromptProcessing, r.timingTokenGeneration, 'prefill tok/s', r.promptTokens/r.timingPromptProcessing*1000)
console.log(b.output())
await b[Symbol.asyncDispose]()
