import type { AssistantTool } from '../tool.ts'
import { BACKEND_TOOLS } from './backends.ts'
import { FILTER_TOOLS } from './filters.ts'
import { MODEL_FILE_TOOLS } from './model-files.ts'
import { MODEL_TOOLS } from './models.ts'
import { OPERATION_TOOLS } from './operations.ts'
import { SERVER_TOOLS } from './server.ts'

/** The tools of the assistant, in the order in which clients see them. */
export const ALL_TOOLS: readonly AssistantTool[] = [
  ...SERVER_TOOLS,
  ...MODEL_TOOLS,
  ...MODEL_FILE_TOOLS,
  ...BACKEND_TOOLS,
  ...OPERATION_TOOLS,
  ...FILTER_TOOLS,
]
