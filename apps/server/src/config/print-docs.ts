import { renderConfigurationPage } from './page.ts'

process.stdout.write(renderConfigurationPage())
