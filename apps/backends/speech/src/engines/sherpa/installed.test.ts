import { expect, it } from 'vitest'
import { checkInstalled } from './installed.ts'

it('accepts the version of the workspace', () => {
  expect(() => checkInstalled()).not.toThrow()
})

it('names the command for a missing engine, and for another version', () => {
  const missing = (): never => {
    throw new Error('Cannot find module')
  }
  expect(() => checkInstalled(missing)).toThrow(
    'sherpa-onnx-node is not installed (npm install -g sherpa-onnx-node@1.13.8)',
  )
  expect(() => checkInstalled(() => ({ version: '1.0.0' }))).toThrow(
    'sherpa-onnx-node 1.0.0 is not used: the engine needs 1.13.8 (npm install -g sherpa-onnx-node@1.13.8)',
  )
})
