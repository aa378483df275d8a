/** Files with secrets, in Node: only their owner can read them, and each is there as a whole or not at all. */

import { randomUUID } from "node:crypto";
import { link, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Write a file, in place of the one before; it is on the disk when this returns, also after a power cut.
 * @param {string} path @param {string} text */
export async function writePrivate(path, text) {
  await written(path, text, (unfinished) => rename(unfinished, path));
}

/** Write a file that nobody has written before; returns whether it was not there. Of several programs only one succeeds.
 * @param {string} path @param {string} text @returns {Promise<boolean>} */
export async function writeFirst(path, text) {
  let first = true;
  await written(path, text, async (unfinished) => {
    try {
      await link(unfinished, path);
    } catch (error) {
      if (!isError(error, "EEXIST")) throw error;
      first = false;
    }
  });
  return first;
}

/** Whether an error of the file system has this code. @param {unknown} error @param {string} code */
export function isError(error, code) {
  return error instanceof Error && "code" in error && error.code === code;
}

/** @param {string} path @param {string} text @param {(unfinished: string) => Promise<void>} place */
async function written(path, text, place) {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unfinished = join(folder, `.${randomUUID()}`);
  try {
    const file = await open(unfinished, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await place(unfinished);
  } finally {
    await rm(unfinished, { force: true });
  }
  await syncFolder(folder);
}

/** The name of a file is a change of its folder, which has to reach the disk too. @param {string} path */
async function syncFolder(path) {
  if (process.platform === "win32") return; // There a folder can't be opened.
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
