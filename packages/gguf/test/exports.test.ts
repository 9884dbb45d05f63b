import * as gguf from '@svc/gguf'
import { expect, it } from 'vitest'

it('exports these names and no others', () => {
  expect(Object.keys(gguf).sort()).toEqual(['GgufError', 'readGgufHeader', 'readLeadingKeys'])
})
