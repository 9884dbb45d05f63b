import { renderBehaviour } from './render-behaviour.ts'
import { REQUIREMENTS } from './requirements.ts'

process.stdout.write(renderBehaviour(REQUIREMENTS))
