import { addAdopt } from './adopt-command.ts'
import { addBackup } from './backup-command.ts'
import { addCheck } from './check-command.ts'
import { addExport } from './export-command.ts'
import { Program, type Terminal } from './frame.ts'
import { addImport } from './import-command.ts'
import { addKeyCommands } from './key-commands.ts'
import { addMigrateTo } from './migrate-to-command.ts'
import { addQuarantine } from './quarantine-command.ts'
import { addRestore } from './restore-command.ts'
import { addStatus } from './status-command.ts'
import { addUserCommands } from './user-commands.ts'
import { addVerify } from './verify-command.ts'

/** All commands, in the order in which `help` shows them. */
const commands: readonly ((program: Program) => void)[] = [
  addStatus,
  addCheck,
  addUserCommands,
  addKeyCommands,
  addBackup,
  addVerify,
  addRestore,
  addQuarantine,
  addExport,
  addImport,
  addAdopt,
  addMigrateTo
]

export function createProgram(terminal: Terminal): Program {
  const program = new Program(terminal)
  for (const add of commands) add(program)
  return program
}
