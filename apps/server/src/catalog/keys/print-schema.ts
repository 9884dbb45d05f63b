import { renderModelSchema } from './json-schema.ts'

process.stdout.write(renderModelSchema())
