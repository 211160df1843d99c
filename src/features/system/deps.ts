export type EngineHealth = { ok: boolean; detail: string }
export type ReadHealth = () => Promise<Record<string, EngineHealth>>

export type SystemDeps = { health: ReadHealth }
