import { startRuntime } from './src/engine/runtime.ts'
const rt = await startRuntime({ warn: () => {}, error: () => {} })
const m = await rt.llama.loadModel({ modelPath: process.argv[2]!, gpuLayers: 0, useMmap: true, ignoreMemorySafetyChecks: true })
for (const fa of [true, false] as const) {
const c = await m.createContext({ contextSize: 1024, sequences: 1, batchSize: 512, threads: 1, ignoreMemorySafetyChecks: true, flashAttention: fa })
const s = c.getSequence()
for (const chunk of [8, 12, 16, 20, 24, 31, 32, 33, 40, 48, 64]) {
  const out: string[] = []
  for (let i = 0; i < 8; i++) { const c0 = process.cpuUsage(); await s.evaluateWithoutGeneratingNewTokens(Array.from({length:chunk},(_, k)=>5+k as any)); out.push((process.cpuUsage(c0).user / 1000).toFixed(1)) }
  console.log(fa, chunk, out.join(' '))
  await s.clearHistory()
}
await c.dispose()
}
process.exit(0)
