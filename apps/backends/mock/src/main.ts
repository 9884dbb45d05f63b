#!/usr/bin/env node
import { serveBackend } from '@svc/backend-kit'
import { createMock } from './mock.ts'
import { readStartScript } from './read-script.ts'

const { handlers, extensions } = createMock(readStartScript(process.env))
await serveBackend({ handlers, extensions })
