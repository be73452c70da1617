import { defineConfig } from "vite";

// The device alone, as one module. Pages have their own entries.
export default defineConfig({
  build: {
    target: "es2022",
    lib: { entry: "src/device/index.ts", formats: ["es"], fileName: "device" },
  },
});
