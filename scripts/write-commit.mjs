import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeCommit } from './commit.mjs'

writeCommit(dirname(dirname(fileURLToPath(import.meta.url))))
