import { defineSection, option, setting } from '../option.ts'
import { line, wholeNumber, word } from '../setting-kind.ts'
import { choice, integer, text, toggle } from '../text-kind.ts'

/** Bounds of chunks in `@svc/documents`, which is loaded with the first document. */
const chunkSize = { min: 100, max: 4096 }
const chunkOverlap = { min: 0, max: 2048 }

/** Collections and skills. */
export const collections = defineSection({
  heading: 'Collections and skills',
  options: {
    agentPoolEnableSkills: option(toggle, {
      env: ['SVC_AGENT_POOL_ENABLE_SKILLS'],
      default: 'false',
      about: 'agents read skills',
    }),
    agentPoolVectorEngine: option(choice('chromem', 'postgres'), {
      env: ['SVC_AGENT_POOL_VECTOR_ENGINE'],
      default: 'chromem',
      about:
        'where collections are indexed: `chromem` is the database of the server, `postgres` the same if that is PostgreSQL',
      setting: { agent_pool_vector_engine: setting(word('chromem', 'postgres')) },
    }),
    agentPoolEmbeddingModel: option(text, {
      env: ['SVC_AGENT_POOL_EMBEDDING_MODEL'],
      default: '',
      shownDefault: 'the model of vector stores',
      about: 'model that embeds the documents of new collections',
      setting: { agent_pool_embedding_model: setting(line) },
    }),
    agentPoolMaxChunkingSize: option(integer(chunkSize), {
      env: ['SVC_AGENT_POOL_MAX_CHUNKING_SIZE'],
      default: '400',
      about: 'largest chunk of a document, in tokens',
      setting: { agent_pool_max_chunking_size: setting(wholeNumber(chunkSize)) },
    }),
    agentPoolChunkOverlap: option(integer(chunkOverlap), {
      env: ['SVC_AGENT_POOL_CHUNK_OVERLAP'],
      default: '0',
      about: 'what two chunks share, in tokens; at most half of a chunk',
      setting: { agent_pool_chunk_overlap: setting(wholeNumber(chunkOverlap)) },
    }),
  },
})
