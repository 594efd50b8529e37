import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** Colours only on a terminal; `NO_COLOR` and `CI` are respected. */
export const coloured = process.stdout.isTTY === true && !process.env.NO_COLOR && !process.env.CI;
const paint = (format: Format) => (text: string) =>
  coloured ? styleText(format, text, { validateStream: false }) : text;

export const style = {
  bold: paint("bold"),
  dim: paint("dim"),
  green: paint("green"),
  red: paint("red"),
  yellow: paint("yellow"),
};
